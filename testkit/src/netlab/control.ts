import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

const START_LIMIT_MS = 15_000;

/** A helper process of the lab that reads settings as JSON lines and says `ok` to each. It ends with its standard input. */
export interface Helper {
  /** Resolves when the setting is in force. */
  set: (setting: object) => Promise<void>;
  close: () => Promise<void>;
}

/** Waits until the helper says `ready`. Rejects with its error output where it ends before. */
export async function startHelper(child: ChildProcess): Promise<Helper> {
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = (errors + chunk).slice(-4000);
  });
  const waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const nextLine = (): Promise<void> => new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const failAll = (): void => {
    for (const one of waiting.splice(0)) one.reject(new Error(`a helper of the network lab ended: ${errors}`));
  };
  child.once('close', failAll);
  child.once('error', failAll);
  child.stdin?.on('error', () => undefined);
  if (child.stdout) createInterface({ input: child.stdout }).on('line', () => waiting.shift()?.resolve());
  const timer = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
  await nextLine().finally(() => clearTimeout(timer));
  return {
    async set(setting) {
      const done = nextLine();
      child.stdin?.write(`${JSON.stringify(setting)}\n`);
      await done;
    },
    async close() {
      child.stdin?.end();
      const forced = setTimeout(() => child.kill('SIGKILL'), 2000);
      await ended;
      clearTimeout(forced);
    },
  };
}

/** The helper's side: applies each line, answers it, and ends with its input. */
export function serveControl(apply: (setting: object) => void): void {
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    apply(JSON.parse(line));
    process.stdout.write('ok\n');
  });
  lines.on('close', () => process.exit(0));
  process.stdout.write('ready\n');
}
