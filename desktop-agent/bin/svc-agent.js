#!/usr/bin/env node
// The endpoint agent's command line. Plain JavaScript for any Node from 20.19 on: it sets a fresh checkout up, then runs the built
// agent on Node 24, in this very process where it already is one: a parent that only waits would cost as much as the agent.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const program = join(import.meta.dirname, '..', 'dist', 'svc-agent.mjs');
const setup = join(import.meta.dirname, '..', '..', 'scripts', 'setup.js');

async function findNode() {
  // A parent that holds a channel is npm start, which has set everything up.
  if (process.connected || !existsSync(setup)) return process.execPath;
  const { ensureSetup } = await import(pathToFileURL(setup).href);
  return ensureSetup({ for: 'agent' });
}

const node = await findNode();
if (Number(process.versions.node.split('.')[0]) >= 24) {
  // grpc-js names an address as TLS server name, of which Node warns; nothing that a person at a terminal could mend.
  process.noDeprecation = true;
  await import(pathToFileURL(program).href);
} else {
  const child = spawn(node, ['--no-deprecation', program, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)));
}
