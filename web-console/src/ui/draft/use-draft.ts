import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { meQuery } from '../../queries.ts';
import { type DraftKey, readDraft, removeDraft, writeDraft } from './draft-store.ts';
import { mergeTyped } from './merge-typed.ts';

/** The fields of a form, kept while they are typed. */
export interface Draft<Fields extends object> {
  value: Fields;
  change: (part: Partial<Fields>) => void;
  /** Something is typed that is not saved. */
  isDirty: boolean;
  /** When what was restored had been typed, Unix milliseconds; undefined where nothing was. */
  restoredAt: number | undefined;
  /** Back to what the form began with. */
  discard: () => void;
  /** Saved: nothing is kept any more. What the form shows stays. */
  clear: () => void;
}

/** The words of a test that is asked for, which the palette hands to its form. */
export const DESCRIBE_FORM = 'tests.describe.prompt';

function useDraftKey(form: string): DraftKey | undefined {
  const me = useQuery(meQuery).data;
  return me && { account: me.account.id, tenant: me.tenant.id, form };
}

interface State<Fields> {
  value: Fields;
  restoredAt: number | undefined;
}

/** What a form begins with: what was typed before, where it differs from what the form holds now. */
export function restoreDraft<Fields extends object>(key: DraftKey | undefined, initial: Fields): State<Fields> {
  const stored = key && readDraft(key);
  if (!stored) return { value: initial, restoredAt: undefined };
  const value = mergeTyped(initial, stored.basis, stored.typed);
  const differs = JSON.stringify(value) !== JSON.stringify(initial);
  return differs ? { value, restoredAt: stored.at } : { value: initial, restoredAt: undefined };
}

/**
 * The state of a form that survives the end of a session, a reload and leaving the page: in this tab, for this person and tenant, until it
 * is saved or discarded. `initial` is what the form holds without the reader; it is taken once, so a form of other data needs another
 * React key. Never for passwords or tokens.
 */
export function useDraft<Fields extends object>(form: string, initial: Fields): Draft<Fields> {
  const key = useDraftKey(form);
  const [basis] = useState(initial);
  const [state, setState] = useState<State<Fields>>(() => restoreDraft(key, initial));
  const latest = useRef(state.value);
  const set = (next: State<Fields>): void => {
    latest.current = next.value;
    setState(next);
  };
  const isChanged = (value: Fields): boolean => JSON.stringify(value) !== JSON.stringify(basis);
  return {
    value: state.value,
    isDirty: isChanged(state.value),
    restoredAt: state.restoredAt,
    change: (part) => {
      const value = { ...latest.current, ...part };
      if (key && isChanged(value)) writeDraft(key, { basis, typed: value, at: Date.now() });
      else if (key) removeDraft(key);
      set({ ...state, value });
    },
    discard: () => {
      if (key) removeDraft(key);
      set({ value: basis, restoredAt: undefined });
    },
    clear: () => {
      if (key) removeDraft(key);
    },
  };
}

/** Types something into a form that opens next, as if the person had typed it there. */
export function useHandOver<Fields extends object>(form: string, initial: Fields): (typed: Fields) => void {
  const key = useDraftKey(form);
  return (typed) => {
    if (key) writeDraft(key, { basis: initial, typed, at: Date.now() });
  };
}

/** Whether a dialog with a draft is open: it is at once where its draft was left behind, since nobody had closed it. */
export function useDraftOpen(form: string): [boolean, (open: boolean) => void] {
  const key = useDraftKey(form);
  return useState(() => key !== undefined && readDraft(key) !== undefined);
}
