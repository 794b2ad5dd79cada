import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createAuthority, createServerLeaf, pemOf } from '../../desktop-agent/src/testing/certificates.ts';
import { cleanEnv, root } from '../env.ts';
import { agentProgram, ensureAgentBuilt } from './built-programs.ts';
import {
  cleanUp,
  type Installation,
  makeEnrolToken,
  newInstallation,
  type RunningServer,
  startServer,
  stopServer,
} from './server-process.ts';

/** A server with a certificate of its own, and the agent as it ships on a device that trusts who signed it. */
let installation: Installation;
let server: RunningServer;
let folder: string;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  installation = await newInstallation();
  folder = join(installation.dataDir, '..', 'device');
  mkdirSync(folder);
  const authority = await createAuthority('private authority');
  const { cert, key } = await createServerLeaf(authority);
  const at = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  at('roots.pem', pemOf(authority.certificate));
  Object.assign(installation.env, { SVC_TLS_CERT_FILE: at('server.crt', cert), SVC_TLS_KEY_FILE: at('server.key', key) });
  [server] = await Promise.all([startServer(installation), ensureAgentBuilt()]);
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  expect(await stopServer(server)).toBe(0);
  rmSync(folder, { recursive: true });
  await cleanUp(installation);
});

function runAgent(args: readonly string[], input = '') {
  const env = { SVC_AGENT_STATE_DIR: join(folder, 'state'), NODE_EXTRA_CA_CERTS: join(folder, 'roots.pem') };
  const child = spawn(process.execPath, [agentProgram, 'run', ...args], { cwd: root, env: cleanEnv(env), stdio: 'pipe' });
  children.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.end(input);
  const exited = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => {
      children.delete(child);
      resolve(signal ?? code ?? -1);
    });
  });
  return { child, output: () => output, exited };
}

test('an agent enrols without a pin, connects over 8444, and keeps its identity over a restart', async () => {
  const token = await makeEnrolToken(installation, 1);
  expect(token).not.toContain('.');
  const connected = `Connected to localhost:${installation.grpc}.`;
  const first = runAgent(['--enroll-stdin', '--server', server.url], `${token}\n`);
  await vi.waitFor(() => expect(first.output()).toContain(connected), { timeout: 60_000, interval: 100 });
  first.child.kill('SIGTERM');
  expect(await first.exited).toBe(0);
  const second = runAgent([]);
  await vi.waitFor(() => expect(second.output()).toContain(connected), { timeout: 60_000, interval: 100 });
  expect(second.output()).not.toContain('Enrolled as');
}, 150_000);
