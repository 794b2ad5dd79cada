import type { Pending } from './topic-log.ts';

/** Where several tenants wait, what goes with one commit beyond a call of each: who sends little is not to wait for a large one. */
const SHARED_BYTES = 256 * 1024;

/** The tenant that all messages of a call belong to; undefined for a call of several. */
function tenantOf({ messages }: Pending): string | undefined {
  const first = messages[0]?.tenant;
  return messages.every(({ tenant }) => tenant === first) ? first : undefined;
}

/** The calls of each tenant in order; undefined where one belongs to several, which nothing may be moved past. */
function byTenant(pending: readonly Pending[]): Pending[][] | undefined {
  const waiting = new Map<string, Pending[]>();
  for (const call of pending) {
    const tenant = tenantOf(call);
    if (tenant === undefined) return undefined;
    const own = waiting.get(tenant);
    if (own) own.push(call);
    else waiting.set(tenant, [call]);
  }
  return [...waiting.values()];
}

/** The first calls that fit, and one at least. */
function fitting(calls: readonly Pending[], maxBytes: number): Pending[] {
  let bytes = 0;
  const over = calls.findIndex((call, at) => {
    bytes += call.bytes;
    return at > 0 && bytes > maxBytes;
  });
  return over < 0 ? [...calls] : calls.slice(0, over);
}

/** One call of each tenant after the other, and of each tenant in order. */
function inTurns(tenants: readonly Pending[][], maxBytes: number): Pending[] {
  const round = (at: number): Pending[] => tenants.flatMap((own) => own[at] ?? []);
  const rounds = Math.max(...tenants.map((own) => own.length));
  const turns = Array.from({ length: rounds }, (_, at) => round(at)).flat();
  const ofEach = round(0).reduce((sum, { bytes }) => sum + bytes, 0);
  return fitting(turns, Math.min(maxBytes, Math.max(ofEach, SHARED_BYTES)));
}

/**
 * Takes what goes to the disk together out of `pending`: at most maxBytes, or one larger call. Tenants take turns, and share a smaller
 * commit: who sends little waits for one of those, not for all that another has piled up.
 */
export function takeGroup(pending: Pending[], maxBytes: number): Pending[] {
  const tenants = byTenant(pending);
  const group = tenants && tenants.length > 1 ? inTurns(tenants, maxBytes) : fitting(pending, maxBytes);
  const taken = new Set(group);
  pending.splice(0, pending.length, ...pending.filter((call) => !taken.has(call)));
  return group;
}
