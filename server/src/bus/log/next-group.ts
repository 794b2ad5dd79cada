import type { Pending } from './topic-log.ts';

/** The tenant that all messages of a call belong to; undefined for a call of several. */
function tenantOf({ messages }: Pending): string | undefined {
  const first = messages[0]?.tenant;
  return messages.every(({ tenant }) => tenant === first) ? first : undefined;
}

/** Calls in turns, one of each tenant after the other, and of each tenant in order; as they came where one belongs to several. */
function inTurns(pending: readonly Pending[]): readonly Pending[] {
  const waiting = new Map<string, Pending[]>();
  for (const call of pending) {
    const tenant = tenantOf(call);
    if (tenant === undefined) return pending;
    const own = waiting.get(tenant);
    if (own) own.push(call);
    else waiting.set(tenant, [call]);
  }
  if (waiting.size === 1) return pending;
  const turns: Pending[] = [];
  for (let round = 0; turns.length < pending.length; round++) {
    for (const own of waiting.values()) if (round < own.length) turns.push(own[round] as Pending);
  }
  return turns;
}

/**
 * Takes what goes to the disk together out of `pending`: at most maxBytes, or one larger call. Where not all fits, tenants take turns: who
 * sends little waits for one commit, not for all that another has piled up.
 */
export function takeGroup(pending: Pending[], maxBytes: number): Pending[] {
  const total = pending.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= maxBytes) return pending.splice(0);
  const group: Pending[] = [];
  let bytes = 0;
  for (const call of inTurns(pending)) {
    if (group.length > 0 && bytes + call.bytes > maxBytes) break;
    bytes += call.bytes;
    group.push(call);
  }
  const taken = new Set(group);
  pending.splice(0, pending.length, ...pending.filter((call) => !taken.has(call)));
  return group;
}
