import type { SecureContext } from 'node:tls';
import { trustOf } from '@svc/probes/trust';
import type { RunChore } from '../chores/run-chore.ts';

/** Roots that an administrator adds or takes away count from the next day on. */
const KEPT_MS = 86_400_000;

/** Whom a session trusts: the one authority given, else this device's roots. Never rejects: without the chore, Node's own roots. */
export type SessionTrust = (authority?: string) => Promise<SecureContext>;

export function createSessionTrust(runChore: RunChore, steady: () => number): SessionTrust {
  let roots: { trust: Promise<SecureContext>; atMs: number } | undefined;
  let pinned: { authority: string; trust: SecureContext } | undefined;
  const readRoots = (): Promise<SecureContext> =>
    runChore('readRoots', {}).then(trustOf, () => {
      roots = undefined;
      return trustOf();
    });
  return async (authority) => {
    if (authority !== undefined) {
      if (pinned?.authority !== authority) pinned = { authority, trust: trustOf([authority]) };
      return pinned.trust;
    }
    if (!roots || steady() - roots.atMs > KEPT_MS) roots = { trust: readRoots(), atMs: steady() };
    return await roots.trust;
  };
}
