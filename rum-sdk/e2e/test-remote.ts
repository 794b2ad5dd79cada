// Commands over the WebSocket that a browser opens: WebDriver BiDi of Firefox, the DevTools protocol of Chromium.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHROMIUM_ARGS, chromiumProgram } from './test-chromium.ts';

const START_MS = 60_000;
/** A browser that was asked to end may neither answer nor do so. */
const END_MS = 10_000;

interface Answer {
  readonly id?: number;
  /** Of BiDi a word, of the DevTools protocol an object. */
  readonly error?: unknown;
  readonly message?: string;
  readonly result: Record<string, unknown>;
}

export interface Remote {
  readonly call: (method: string, params: object) => Promise<Record<string, unknown>>;
  readonly close: () => void;
}

/** The address that a browser says on stderr once it listens. */
export async function findAddress(child: ChildProcess): Promise<string> {
  const signal = AbortSignal.timeout(START_MS);
  let said = '';
  while (true) {
    const [chunk] = (await once(child.stderr as NodeJS.ReadableStream, 'data', { signal })) as [Buffer];
    said += chunk;
    const address = /listening on (ws:\/\/\S+)/.exec(said)?.[1];
    if (address) return address;
  }
}

export async function connect(address: string): Promise<Remote> {
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error('The browser refuses the connection.'));
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.onmessage = ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    if (answer.id === undefined) return;
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  };
  let last = 0;
  const call = async (method: string, params: object): Promise<Record<string, unknown>> => {
    const id = ++last;
    const {
      result,
      error,
      message = '',
    } = await new Promise<Answer>((resolve) => {
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)} ${message}`);
    return result;
  };
  return { call, close: () => socket.close() };
}

/** A Chromium of which nobody says that its pages have the focus: Playwright does, and shows every page. */
export async function startPlainChromium(): Promise<Remote & { readonly end: () => Promise<void> }> {
  const profile = mkdtempSync(join(tmpdir(), 'svc-chromium-'));
  const args = [...CHROMIUM_ARGS, '--headless=new', '--no-first-run', '--remote-debugging-port=0', `--user-data-dir=${profile}`];
  const child = spawn(chromiumProgram(), [...args, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const remote = await connect(await findAddress(child));
  return {
    ...remote,
    end: async () => {
      const ended = once(child, 'exit');
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
      void remote.call('Browser.close', {}).catch(() => child.kill('SIGKILL'));
      await ended;
      clearTimeout(timer);
      remote.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
