import type { TracesSearch } from './traces-search.ts';

interface Operation {
  name: string;
  service: string;
}

/** Names that several services use: such an operation is told apart by its service, in words. */
export function sharedNames(operations: readonly Operation[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(operations.flatMap(({ name }) => (seen.size === seen.add(name).size ? [name] : [])));
}

/** Whether the filters ask for this operation and let its service through. */
export const isChosen = ({ operation, service }: TracesSearch, { name, service: of }: Operation): boolean =>
  (operation?.includes(name) ?? false) && (service?.includes(of) ?? true);

/**
 * Chooses an operation or lets go of it. The filter goes by name, so that of a shared name its service is chosen too, beside those of what was
 * chosen before.
 */
export function toggleOperation(
  search: TracesSearch,
  wanted: Operation,
  operations: readonly Operation[],
): Pick<TracesSearch, 'operation' | 'service'> {
  const names = search.operation ?? [];
  if (isChosen(search, wanted)) {
    const left = names.filter((name) => name !== wanted.name);
    return { operation: left.length > 0 ? left : undefined };
  }
  const operation = [...new Set([...names, wanted.name])];
  if (!sharedNames(operations).has(wanted.name) && !search.service) return { operation };
  const before = search.service ?? operations.filter((one) => isChosen(search, one)).map(({ service }) => service);
  return { operation, service: [...new Set([...before, wanted.service])] };
}
