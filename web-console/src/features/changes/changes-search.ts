import { CHANGE_KINDS, type ChangeKind } from '@svc/contracts/changes/kinds';
import { membersOf, textOf } from '../../ui/address/search-params.ts';
import { decodeRange, RANGES, type RangeRule, type RangeSearch } from '../../ui/address/time-range.ts';

export const CHANGES_RANGE: RangeRule = { names: ['1h', '6h', '24h', '7d', '30d'], usual: '7d', longestMs: 400 * RANGES['24h'] };

/** What the address of the timeline asks for. */
export interface ChangesSearch extends RangeSearch {
  text?: string | undefined;
  kind?: ChangeKind[] | undefined;
  source?: string | undefined;
  actor?: string | undefined;
  target?: string | undefined;
  prefix?: string | undefined;
  webhook?: string | undefined;
  untargeted?: 'only' | undefined;
}

export function decodeChangesSearch(raw: Record<string, unknown>): ChangesSearch {
  const word = (value: unknown): string | undefined => textOf(value)?.slice(0, 200);
  const search: ChangesSearch = {
    text: word(raw.text),
    kind: membersOf(raw.kind, CHANGE_KINDS),
    source: word(raw.source),
    actor: word(raw.actor),
    target: word(raw.target),
    prefix: word(raw.prefix)?.slice(0, 64),
    webhook: word(raw.webhook)?.slice(0, 64),
    untargeted: raw.untargeted === 'only' ? 'only' : undefined,
    ...decodeRange(raw, CHANGES_RANGE),
  };
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}
