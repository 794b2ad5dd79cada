import { hash } from 'node:crypto';
import type { Principal } from '#kernel';

const MOST_KNOWN = 20_000;
const MOST_WRONG = 20_000;
/** A membership that is given back within this time lets its tokens in that much later. */
const WRONG_MS = 10_000;

export const digestOf = (credential: string): string => hash('sha256', credential, 'base64');

/** An `authorization` header as it is understood: scheme and secret, whatever comes after them. */
export function readAuthorization(header: string): string {
  const [scheme = '', secret = ''] = header.split(' ', 2);
  return `${scheme.toLowerCase()} ${secret}`;
}

type Owner = Pick<Principal, 'tenant' | 'id'>;

/**
 * Whose a credential was when it was last looked up, by its hash. It tells whose budget a request is taken from, and never who may do
 * something. At the bound the tenant that has most here gives up its oldest.
 */
export function createKnownCredentials(most = MOST_KNOWN) {
  const owners = new Map<string, Owner>();
  const byTenant = new Map<string, Set<string>>();
  const drop = (digest: string): void => {
    const tenant = owners.get(digest)?.tenant;
    if (tenant === undefined) return;
    owners.delete(digest);
    const own = byTenant.get(tenant);
    own?.delete(digest);
    if (own?.size === 0) byTenant.delete(tenant);
  };
  const makeRoom = (newcomer: string): void => {
    let largest = byTenant.get(newcomer);
    for (const digests of byTenant.values()) if (digests.size > (largest?.size ?? 0)) largest = digests;
    const oldest = largest?.values().next().value;
    if (oldest !== undefined) drop(oldest);
  };
  return {
    find: (digest: string): Owner | undefined => owners.get(digest),
    keep(digest: string, { tenant, id }: Owner): void {
      drop(digest);
      if (owners.size >= most) makeRoom(tenant);
      owners.set(digest, { tenant, id });
      byTenant.set(tenant, (byTenant.get(tenant) ?? new Set()).add(digest));
    },
    drop,
  };
}

export type KnownCredentials = ReturnType<typeof createKnownCredentials>;

/** Credentials that nobody had a moment ago, by their hash; the oldest go. What is looked up again within the time would be wrong again. */
export function createWrongCredentials(nowMs: () => number = () => performance.now()) {
  const until = new Map<string, number>();
  return {
    has: (digest: string): boolean => (until.get(digest) ?? 0) > nowMs(),
    add(digest: string): void {
      until.delete(digest);
      until.set(digest, nowMs() + WRONG_MS);
      if (until.size > MOST_WRONG) until.delete(until.keys().next().value ?? '');
    },
  };
}
