import type { ChangeKind, ChangeState } from '@svc/contracts/changes/kinds';

/** One change as it is kept; times as RFC 3339 in UTC with milliseconds, so that their texts have their order. */
export interface KeptChange {
  id: string;
  number: number;
  webhook_id: string;
  key: string;
  source: string;
  kind: ChangeKind;
  title: string;
  summary: string;
  target: string | null;
  anchor: string | null;
  address: string | null;
  network: string | null;
  target_from: 'change' | 'table' | null;
  actor: string | null;
  ref: string | null;
  url: string | null;
  attributes: Record<string, string>;
  repository: string | null;
  environment: string | null;
  paths: string[];
  occurred_at: string;
  told_at: string;
  began_at: string | null;
  finished_at: string | null;
  state: ChangeState | null;
  state_at: string | null;
  received_at: string;
  search: string;
}

const earlier = (a: string | null, b: string | null): string | null => (a === null || b === null ? (a ?? b) : a < b ? a : b);

const placeOf = ({ target, anchor, address, network, target_from }: KeptChange) => ({
  target,
  anchor,
  address,
  network,
  target_from,
});

/**
 * Deliveries of one change come in any order and more than once: the newest state counts, the earliest beginning, and a target that the
 * change named itself before one of the table. The same two give the same, whichever came first.
 */
export function mergeChange(known: KeptChange, next: KeptChange): KeptChange {
  const isNewer = known.state_at === null || (next.state_at !== null && next.state_at >= known.state_at);
  const newer = isNewer ? next : known;
  const named = [newer, known, next].find(({ target_from: from }) => from === 'change') ?? next;
  const told = earlier(known.told_at, next.told_at) ?? next.told_at;
  const began = earlier(known.began_at, next.began_at);
  return {
    ...newer,
    ...placeOf(named),
    ...{ id: known.id, number: known.number, webhook_id: known.webhook_id, key: known.key, received_at: known.received_at },
    state: newer.state ?? known.state ?? next.state,
    state_at: newer.state_at ?? known.state_at,
    ...{ told_at: told, began_at: began, occurred_at: began ?? told, finished_at: earlier(known.finished_at, next.finished_at) },
  };
}
