import { spawn } from 'node:child_process';

/** What a run of `restore` in a process of its own came to, which was killed just before, or just after, one of its renames. */
export interface Restoring {
  program: string;
  folder: string;
  /** False as on a disk that cannot exchange folders. */
  exchanges: boolean;
  /** Renames and exchanges that happen before the power goes. */
  steps: number;
}

const CHILD = `
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const { program, folder, exchanges, steps, copy, native } = JSON.parse(process.argv[1]);
let done = 0;
const cut = () => { if (done++ >= steps) process.kill(process.pid, 'SIGKILL'); };
const rename = fs.promises.rename;
fs.promises.rename = async (from, to) => { cut(); await rename(from, to); };
syncBuiltinESMExports();
(async () => {
  const { createProgramCopy } = await import(copy);
  const { createExchange } = await import(native);
  const exchange = exchanges ? (one, other) => { cut(); return createExchange()(one, other); } : undefined;
  await createProgramCopy({ program, folder, exchange }).restore();
})();
`;

/** Resolves with the signal that ended it, or null where it came to its end before. */
export async function restoreAndCut(restoring: Restoring): Promise<NodeJS.Signals | null> {
  const input = {
    ...restoring,
    copy: new URL('../update/program-copy.ts', import.meta.url).href,
    native: new URL('../../../native/src/files/exchange.ts', import.meta.url).href,
  };
  const child = spawn(process.execPath, ['--no-warnings', '-e', CHILD, JSON.stringify(input)], { stdio: 'inherit' });
  const { promise, resolve } = Promise.withResolvers<[number | null, NodeJS.Signals | null]>();
  child.once('exit', (code, signal) => resolve([code, signal]));
  const [code, signal] = await promise;
  if (signal === null && code !== 0) throw new Error(`The restoring process ended with ${code}.`);
  return signal;
}
