import { AppError } from '../errors.ts';
import type { Connection } from './port.ts';

const hostOf = (text: string): string | undefined => {
  const url = /^[a-z]+:\/\//i.test(text) ? URL.parse(text) : null;
  return url ? `${url.protocol}//${url.host}` : undefined;
};

/** Where a connection leads to: its address, and settings that are one. */
const hostsOf = ({ url, settings }: Connection): string[] =>
  [url, ...Object.values(settings)].flatMap((text) => hostOf(text) ?? []);

interface Change {
  former: Connection | undefined;
  next: Connection;
  /** What the form brings, by the names of its fields. */
  given: Readonly<Record<string, string>>;
  /** Names of fields that are secret. */
  secrets: Iterable<string>;
}

/**
 * A secret that a form leaves empty stays, but never goes along to another host: else whoever may change settings could have it sent to a place
 * of their own. AppError `validation` names those that have to be given again.
 */
export function demandSecrets({ former, next, given, secrets }: Change): void {
  if (!former) return;
  const known = new Set(hostsOf(former));
  if (hostsOf(next).every((host) => known.has(host))) return;
  const hadOf = (name: string): string | undefined => (name === 'credential' ? former.credential : former.settings[name]);
  const faults = [...secrets]
    .filter((name) => hadOf(name) && !given[name])
    .map((name) => ({ path: `values.${name}`, message: 'Give it again: the address leads to another host.' }));
  if (faults.length > 0)
    throw new AppError('validation', 'A secret does not go along to another host. Give it again.', { faults });
}
