import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { meQuery } from '../../queries.ts';
import { DraftNote, UnsavedMark } from './draft-note.tsx';
import { clearDrafts, type DraftKey, keepDraftsOf, readDraft, removeDraft, writeDraft } from './draft-store.ts';
import { mergeTyped } from './merge-typed.ts';
import { type Draft, restoreDraft, useDraft, useDraftOpen } from './use-draft.ts';

const AT = new Date('2026-11-24T08:10:00').getTime();
const KEY: DraftKey = { account: 'ann', tenant: 'acme', form: 'people.invite' };

/** Session storage as a browser keeps it. */
function createStorage() {
  const kept = new Map<string, string>();
  return {
    get length() {
      return kept.size;
    },
    key: (index: number) => [...kept.keys()][index] ?? null,
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  };
}

beforeEach(() => void vi.stubGlobal('sessionStorage', createStorage()));
afterEach(() => void vi.unstubAllGlobals());

const keep = (typed: object, key = KEY, basis: object = { email: '' }): void => writeDraft(key, { basis, typed, at: AT });
const typedOf = (key: DraftKey): unknown => readDraft(key)?.typed;

it('belongs to one person, one tenant and one form', () => {
  keep({ email: 'ines@' });
  expect(typedOf(KEY)).toEqual({ email: 'ines@' });
  for (const other of [{ account: 'bob' }, { tenant: 'other' }, { form: 'people.roles' }])
    expect(typedOf({ ...KEY, ...other })).toBeUndefined();
  removeDraft(KEY);
  expect(typedOf(KEY)).toBeUndefined();
});

it('goes with the person: another one finds none, and a sign-out leaves none', () => {
  sessionStorage.setItem('svc.reloaded', '1');
  keep({ email: 'a' });
  keep({ email: 'b' }, { ...KEY, tenant: 'other' });
  keep({ email: 'c' }, { ...KEY, account: 'ann-2' });
  keepDraftsOf('ann');
  expect([typedOf(KEY), typedOf({ ...KEY, tenant: 'other' }), typedOf({ ...KEY, account: 'ann-2' })]).toEqual([
    { email: 'a' },
    { email: 'b' },
    undefined,
  ]);
  clearDrafts();
  expect([sessionStorage.length, sessionStorage.getItem('svc.reloaded')]).toEqual([1, '1']);
});

it('never stores a secret, nor more than a form holds, nor fails where the browser refuses', () => {
  keep({ email: 'a', password: 'hunter2', nested: { api_token: 'svc_pat_x', clientSecret: 'y' } });
  const stored = sessionStorage.getItem(sessionStorage.key(0) ?? '') ?? '';
  expect(stored).toContain('"email":"a"');
  expect(stored).not.toMatch(/hunter2|svc_pat_x|"y"/);
  removeDraft(KEY);
  keep({ email: 'x'.repeat(200_000) });
  expect(typedOf(KEY)).toBeUndefined();
  vi.stubGlobal('sessionStorage', undefined);
  keep({ email: 'a' });
  expect(typedOf(KEY)).toBeUndefined();
});

it('takes nothing from a store that holds something else', () => {
  for (const text of ['', 'null', '[]', '7', '{"typed":1', '{"at":1}', '{"typed":7,"at":1}', '{"typed":{"email":7},"at":"x"}']) {
    sessionStorage.setItem(`svc.draft/${KEY.account}/${KEY.tenant}/${KEY.form}`, text);
    expect(restoreDraft(KEY, { email: '' })).toEqual({ value: { email: '' }, restoredAt: undefined });
  }
});

it('restores what was typed and keeps what others changed meanwhile', () => {
  const basis = { targets: 'a', limits: { rtt: '100', loss: '2' }, roles: ['viewer'], on: true };
  const typed = { targets: 'a\nb', limits: { rtt: '150', loss: '2' }, roles: ['viewer', 'admin'], on: true };
  const now = { targets: 'a', limits: { rtt: '100', loss: '5' }, roles: ['viewer'], on: false };
  expect(mergeTyped(now, basis, typed)).toEqual({
    targets: 'a\nb',
    limits: { rtt: '150', loss: '5' },
    roles: ['viewer', 'admin'],
    on: false,
  });
  // A form of an earlier version: what it no longer has goes, what it did not have yet stays as it is.
  expect(mergeTyped({ name: '', site: 'x' }, { label: '' }, { label: 'old', name: 7 })).toEqual({ name: '', site: 'x' });
  keep(typed, KEY, basis);
  expect(restoreDraft(KEY, now).restoredAt).toBe(AT);
  expect(restoreDraft(KEY, mergeTyped(now, basis, typed)).restoredAt).toBeUndefined();
});

type Show = (draft: Draft<{ email: string }>, isOpen: boolean) => ReactNode;

function Form({ show }: { show: Show }) {
  const draft = useDraft('people.invite', { email: '' });
  const [isOpen] = useDraftOpen('people.invite');
  return show(draft, isOpen);
}

/** What a form shows of its draft, rendered for this person. */
function render(show: Show, account = 'ann'): string {
  const client = new QueryClient();
  client.setQueryData(meQuery.queryKey, { account: { id: account }, tenant: { id: 'acme' } } as never);
  return renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <Form show={show} />
    </QueryClientProvider>,
  );
}

it('says that it restored what had been typed, offers to discard it, and marks what is not saved', () => {
  keep({ email: 'ines@' });
  const html = render((draft, isOpen) => (
    <>
      <DraftNote draft={draft} />
      <UnsavedMark draft={draft} />
      {draft.value.email} {String(isOpen)}
    </>
  ));
  expect(html).toContain('role="status"');
  expect(html).toMatch(/Restored what you had typed \([^)]*08:10\)\. It is not saved\..*<button[^>]*>Discard/);
  expect(html).toMatch(/Not saved yet.*ines@ true/);
});

it('shows nothing where nothing was typed, and nothing of another person', () => {
  const show = (draft: Draft<{ email: string }>, isOpen: boolean) => (
    <>
      <DraftNote draft={draft} />
      <UnsavedMark draft={draft} />
      {String(isOpen)}
    </>
  );
  expect(render(show)).toBe('false');
  keep({ email: 'ines@' });
  expect(render(show, 'bob')).toBe('false');
});

it.each([
  ['stored at each change', { email: 'ines@' }, (draft: Draft<{ email: string }>) => draft.change({ email: 'ines@' })],
  ['gone once it is saved', undefined, (draft: Draft<{ email: string }>) => draft.clear()],
  ['gone once it is discarded', undefined, (draft: Draft<{ email: string }>) => draft.discard()],
  ['gone once it is typed back', undefined, (draft: Draft<{ email: string }>) => draft.change({ email: '' })],
])('is %s', (_what, left, act) => {
  keep({ email: 'in' });
  let done = false;
  render((draft) => {
    // Once: a change of state renders the form again.
    if (!done) {
      done = true;
      act(draft);
    }
    return null;
  });
  expect(typedOf(KEY)).toEqual(left);
});
