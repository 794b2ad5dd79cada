import { ApiError } from '../../../api.ts';

/** What the server says is wrong, by the path of the field in the test. */
export type Faults = ReadonlyMap<string, string>;

export function readFaults(error: unknown): Faults {
  if (!(error instanceof ApiError)) return new Map();
  return new Map(error.faults.map(({ path, message }) => [path.replace(/^test\./, ''), message]));
}

/** The fault of a field, or the first one below it: `assertions.status` has that of `assertions.status.0`. */
export function faultAt(faults: Faults, path: string): string | undefined {
  const found = [...faults].find(([at]) => at === path || at.startsWith(`${path}.`));
  return found?.[1];
}

/** Faults that no field of the form shows. */
export const otherFaults = (faults: Faults, shown: readonly string[]): string[] =>
  [...faults]
    .filter(([at]) => !shown.some((path) => at === path || at.startsWith(`${path}.`)))
    .map(([at, message]) => (at === '' ? message : `${at}: ${message}`));
