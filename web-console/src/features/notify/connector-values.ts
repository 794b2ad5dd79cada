import type { ProviderForm } from '@svc/contracts/notify/connector';
import { ApiError } from '../../api.ts';
import type { Values } from './connector-fields.tsx';

/** What is sent of a form: values of its own fields that are not empty, secrets among them. */
export const valuesOf = (form: ProviderForm, typed: Values, secrets: Values): Record<string, string> =>
  Object.fromEntries(
    form.fields.flatMap(({ name, is_secret: isSecret }) => {
      const value = ((isSecret ? secrets : typed)[name] ?? '').trim();
      return value === '' ? [] : [[name, value]];
    }),
  );

/** The label of the first field that is needed and empty. */
export const missingOf = (form: ProviderForm, values: Values, kept: readonly string[] = []): string | undefined =>
  form.fields.find(({ name, is_required: isNeeded }) => isNeeded && !kept.includes(name) && !values[name])?.label;

/** What a refusal says of fields, by their names; what it says beside them is its message. */
export function faultsOf(form: ProviderForm, error: unknown): { faults: Record<string, string>; message: string | undefined } {
  if (!(error instanceof ApiError)) return { faults: {}, message: error instanceof Error ? error.message : undefined };
  const names = new Set(form.fields.map(({ name }) => name));
  const named = error.faults.map(({ path, message }) => ({ name: path.replace(/^values\./, ''), message }));
  const faults = Object.fromEntries(named.filter(({ name }) => names.has(name)).map(({ name, message }) => [name, message]));
  const isAllNamed = named.length > 0 && named.every(({ name }) => names.has(name));
  return { faults, message: isAllNamed ? 'Correct the marked fields.' : error.message };
}
