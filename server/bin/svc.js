#!/usr/bin/env node
// The control plane's command line. Plain JavaScript for any Node from 20.19 on: it runs the built program on the repository's Node 24.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { canaryFlags, nodeFlags } from './node-flags.js';

const program = join(import.meta.dirname, '..', 'dist', 'svc.js');
const setup = join(import.meta.dirname, '..', '..', 'scripts', 'setup.js');

async function findNode() {
  if (existsSync(setup)) {
    const { ensureSetup } = await import(setup);
    return ensureSetup({ for: 'start' });
  }
  return process.execPath;
}

const node = await findNode();
const args = process.argv.slice(2);
const isCanary = args[0] === 'canary' && args[1] === 'run';
const command = [node, ...(isCanary ? canaryFlags : nodeFlags), program, ...args];
// Of glibc, as for the server's own runner (runner/src/process/flags.ts), which reads it once; env is replaced by what it starts.
if (isCanary && process.platform === 'linux') command.unshift('env', 'MALLOC_ARENA_MAX=2');
const child = spawn(command[0], command.slice(1), { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.once('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)));
