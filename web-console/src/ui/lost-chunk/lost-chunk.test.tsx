import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it, vi } from 'vitest';
import { LostChunkError, loadChunk } from './load-chunk.ts';
import { LostChunkNotice } from './lost-chunk-page.tsx';
import { mayReload, recoverChunk } from './reload-once.ts';

const MINUTE = 60_000;
const NOW = Date.parse('2026-11-24T08:10:00Z');

function createStore(): () => Pick<Storage, 'getItem' | 'setItem'> {
  const kept = new Map<string, string>();
  return () => ({ getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) });
}

it('tells a chunk that could not be loaded from a page that broke', async () => {
  const cause = new TypeError('Failed to fetch dynamically imported module: /assets/a-1.js');
  await expect(loadChunk(() => Promise.reject(cause))()).rejects.toSatisfy(
    (error) => error instanceof LostChunkError && error.cause === cause,
  );
  await expect(loadChunk(() => Promise.resolve(1))()).resolves.toBe(1);
});

it('reloads once, and again only for a later upgrade', () => {
  const store = createStore();
  expect(mayReload(store, NOW)).toBe(true);
  for (const later of [0, 1, 9 * MINUTE]) expect(mayReload(store, NOW + later)).toBe(false);
  // A clock that was set back.
  expect(mayReload(store, NOW - MINUTE)).toBe(false);
  expect(mayReload(store, NOW + 10 * MINUTE)).toBe(true);
  expect(mayReload(store, NOW + 11 * MINUTE)).toBe(false);
});

it('never reloads where the browser does not remember it', () => {
  const forgets = () => ({ getItem: () => null, setItem: () => {} });
  const refuses = () => {
    throw new DOMException('denied', 'SecurityError');
  };
  const broken = () => ({ getItem: () => 'not a time', setItem: () => {} });
  for (const store of [forgets, refuses, broken]) expect(mayReload(store, NOW)).toBe(false);
});

/** Runs a recovery on a server that answers as listed; gives what it did, in order. */
async function recover(answers: (boolean | 'fails')[], store = createStore()): Promise<string[]> {
  const done: string[] = [];
  const note = (what: string) => () => void done.push(what);
  await recoverChunk({
    probe: async () => {
      const answer = answers.shift();
      if (answer === 'fails' || answer === undefined) throw new TypeError('Failed to fetch');
      return answer;
    },
    mayReload: () => mayReload(store, NOW),
    reload: note('reload'),
    wait: async () => void done.push('wait'),
    onSilence: note('silent'),
    onLost: note('lost'),
    signal: new AbortController().signal,
  });
  return done;
}

it('waits for a server that is away, then reloads once, then leaves it to the reader', async () => {
  const store = createStore();
  expect(await recover(['fails', false, true], store)).toEqual(['silent', 'wait', 'silent', 'wait', 'reload']);
  expect(await recover([true], store)).toEqual(['lost']);
});

it('does nothing more once the reader has left', async () => {
  const abort = new AbortController();
  const reload = vi.fn();
  await recoverChunk({
    probe: async () => {
      abort.abort();
      return true;
    },
    mayReload: () => true,
    reload,
    wait: async () => {},
    onSilence: reload,
    onLost: reload,
    signal: abort.signal,
  });
  expect(reload).not.toHaveBeenCalled();
});

it('says what happened and offers to reload', () => {
  const html = renderToStaticMarkup(<LostChunkNotice state="lost" onReload={() => {}} />);
  expect(html).toContain('role="alert"');
  expect(html).toMatch(/<button[^>]*>Reload/);
  expect(renderToStaticMarkup(<LostChunkNotice state="silent" onReload={() => {}} />)).toContain(
    'automatically when the server answers',
  );
});
