import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PersonAct } from '../kept.ts';
import { type Answer, type Call, type ProviderServer, type ServerOptions, startServer } from '../server.ts';
import { KINDS, type Kind, MOODS, type Mood, NAMES, type Running, setMood, TALKING } from './all.ts';

/** The page on which a person sees pages, posts and tickets open and close, and acts there as somebody of that system. */

const HTML = readFileSync(join(import.meta.dirname, 'page.html'), 'utf8');
const ACTS: readonly PersonAct[] = ['acknowledge', 'resolve', 'reopen', 'delete'];
/** The newest of each provider. */
const MOST = 30;
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'",
};

function describe(running: Running, moods: ReadonlyMap<Kind, Mood>) {
  return KINDS.map((kind) => ({
    ...{ kind, name: NAMES[kind], mood: moods.get(kind) ?? 'well', calls: running[kind].calls.length },
    breaches: running[kind].breaches.slice(-3),
    acts: (TALKING as readonly string[]).includes(kind) ? ACTS : [],
    objects: running[kind].objects().slice(-MOST).toReversed(),
  }));
}

const isKind = (value: unknown): value is Kind => KINDS.includes(value as Kind);

/** Another site's page can neither send this header nor read the answer. */
const isOwn = ({ headers }: Call): boolean => headers['x-demo'] === '1';

export async function startPage(options: ServerOptions, running: Running): Promise<ProviderServer> {
  const moods = new Map<Kind, Mood>();
  return await startServer(options, async (call): Promise<Answer> => {
    if (call.method === 'GET' && call.path === '/') return { status: 200, headers: HEADERS, body: HTML };
    if (call.method === 'GET' && call.path === '/state') return { status: 200, body: describe(running, moods) };
    const { kind, id, act, mood } = (call.json ?? {}) as { kind?: unknown; id?: string; act?: PersonAct; mood?: Mood };
    if (call.method !== 'POST' || !isOwn(call) || !isKind(kind)) return { status: 404, body: 'There is no such page.' };
    if (call.path === '/act' && id !== undefined && act !== undefined && ACTS.includes(act)) {
      await running[kind].act(id, act);
      return { status: 204 };
    }
    if (call.path === '/mood' && mood !== undefined && MOODS.includes(mood)) {
      moods.set(kind, mood);
      setMood(running[kind], mood);
      return { status: 204 };
    }
    return { status: 400, body: 'not understood' };
  });
}
