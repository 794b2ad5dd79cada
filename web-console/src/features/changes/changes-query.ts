import type { ChangeListQuery } from '@svc/contracts/changes/change';
import { windowOf } from '../../ui/address/time-range.ts';
import { CHANGES_RANGE, type ChangesSearch } from './changes-search.ts';

/** A network or an address, as far as a browser can tell: the server decides. */
export const isNetwork = (text: string): boolean => /^[0-9a-fA-F.:[\]]+(\/\d{1,3})?$/.test(text) && /[.:]/.test(text);

/** What the server is asked, without its time. */
export const queryOf = (search: ChangesSearch): Omit<ChangeListQuery, 'limit'> => ({
  ...(search.text ? { search: search.text } : {}),
  ...(search.kind ? { kind: search.kind } : {}),
  ...(search.source ? { source: search.source } : {}),
  ...(search.actor ? { actor: search.actor } : {}),
  ...(search.target ? { target: search.target } : {}),
  ...(search.prefix && isNetwork(search.prefix) ? { prefix: search.prefix } : {}),
  ...(search.webhook ? { webhook: search.webhook } : {}),
  ...(search.untargeted ? { untargeted: true } : {}),
});

export const spanOf = (search: ChangesSearch, nowMs: number): { from: string; to: string } =>
  windowOf(search, CHANGES_RANGE.usual, nowMs);

export const countFilters = ({ text, kind, source, actor, target, prefix, webhook, untargeted }: ChangesSearch): number =>
  [text, kind, source, actor, target, prefix, webhook, untargeted].filter((value) => value !== undefined).length;

export const NO_FILTERS = {
  ...{ text: undefined, kind: undefined, source: undefined, actor: undefined },
  ...{ target: undefined, prefix: undefined, webhook: undefined, untargeted: undefined },
} as const;
