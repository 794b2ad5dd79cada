import { execFile } from 'node:child_process';

const LIMIT_MS = 1500;
const MAX_OUTPUT = 256 * 1024;

export type ToolAnswer = { readonly output: string } | { readonly failed: 'missing' | 'refused' | 'error' };
/** Runs a tool of the system in a short-lived child and gives its standard output. Never throws. */
export type RunTool = (command: string, args: readonly string[]) => Promise<ToolAnswer>;

const REFUSED = /not authorized|access ?denied|permission denied|unauthorized/i;

export const runTool: RunTool = (command, args) =>
  new Promise((resolve) => {
    const limits = { timeout: LIMIT_MS, maxBuffer: MAX_OUTPUT, windowsHide: true };
    execFile(command, args, limits, (error, output, words) => {
      if (!error) resolve({ output });
      else if (error.code === 'ENOENT') resolve({ failed: 'missing' });
      else resolve({ failed: error.code === 'EACCES' || REFUSED.test(words) ? 'refused' : 'error' });
    });
  });
