import { z } from 'zod';
import { SECRET_LENGTH, SECRETS_OF_TEST } from './params/shared.ts';
import { Test } from './test.ts';

/** A secret of a test as its runner holds it, in memory only. */
export const PlannedSecret = z.object({
  name: z.string().max(128),
  /** Where it may be sent: host names, or `*.example.com` for all names below. */
  hosts: z.array(z.string().max(253)).max(50).readonly(),
  value: z.string().max(SECRET_LENGTH),
});
export type PlannedSecret = z.infer<typeof PlannedSecret>;

/** What a runner is to run, with the secrets that it refers to. */
export const PlannedTest = z.object({ test: Test, secrets: z.array(PlannedSecret).max(SECRETS_OF_TEST) });
export interface PlannedTest {
  test: Test;
  secrets: readonly PlannedSecret[];
}

const plain = (host: string): string =>
  host
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[(.*)\]$/, '$1');

/** Whether a secret that is bound to these hosts may be sent to that one. */
export function mayBeSentTo(hosts: readonly string[], host: string): boolean {
  const wanted = plain(host);
  return hosts.some((one) => {
    const bound = plain(one);
    return bound.startsWith('*.') ? wanted.endsWith(bound.slice(1)) && wanted.length >= bound.length : wanted === bound;
  });
}
