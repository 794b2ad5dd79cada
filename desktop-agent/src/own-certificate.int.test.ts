import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AgentProcess, startAgent } from './testing/agent-process.ts';
import { createAuthority, pemOf } from './testing/certificates.ts';
import { type ControlPlane, startControlPlane } from './testing/control-plane.ts';

/** A control plane with a certificate of its own (SVC_TLS_CERT_FILE), by an authority that an administrator gave to the device. */
let plane: ControlPlane & { serverCa: string };
let stateDir: string;
let roots: string;
let agent: AgentProcess | undefined;
beforeEach(async () => {
  [plane, stateDir] = await Promise.all([startControlPlane({ ownCertificate: true }), mkdtemp(join(tmpdir(), 'svc-agent-'))]);
  roots = join(stateDir, 'roots.pem');
  await writeFile(roots, plane.serverCa);
});
afterEach(async () => {
  agent?.child.kill('SIGKILL');
  await agent?.exited;
  await plane.close();
  await rm(stateDir, { recursive: true, force: true });
});

const SECOND = '1';
const run = (args: readonly string[], input = ''): AgentProcess => {
  const env = {
    NODE_EXTRA_CA_CERTS: roots,
    SVC_ENDPOINT_WIFI_INTERVAL_SECONDS: SECOND,
    SVC_ENDPOINT_GATEWAY_INTERVAL_SECONDS: SECOND,
  };
  agent = startAgent({ args: ['run', ...args], stateDir, input, env });
  return agent;
};
const enrol = () => run(['--enroll-stdin', '--server', plane.url], `${plane.token}\n`);
const wait = { timeout: 40_000, interval: 50 };
const publishes = async (): Promise<void> => {
  const count = plane.received.length;
  await vi.waitFor(() => expect(plane.received.length, agent?.text()).toBeGreaterThan(count), wait);
};
async function stop(): Promise<void> {
  agent?.child.kill('SIGTERM');
  expect(await agent?.exited).toBe(0);
}

describe('an agent of a server with a certificate of its own', { timeout: 120_000 }, () => {
  it('publishes by the roots of its device, keeps its identity over a restart, and says what it trusts', async () => {
    enrol();
    await publishes();
    await stop();
    const identity = JSON.parse(await readFile(join(stateDir, 'identity', 'identity.json'), 'utf8'));
    expect(identity).toMatchObject({ grpcCa: '', grpcTrust: 'system' });
    expect(identity.pin).toBeUndefined();
    run([]);
    await publishes();
    expect(plane.enrolments).toHaveLength(1);
  });

  it('goes on by itself once the server’s certificate comes from another authority that the device trusts', async () => {
    enrol();
    await publishes();
    await appendFile(roots, await plane.changeAuthority());
    await publishes();
    expect(plane.enrolments).toHaveLength(1);
  });

  it('sends nothing to a server that the roots of its device do not prove', async () => {
    enrol();
    await publishes();
    await stop();
    await writeFile(roots, pemOf((await createAuthority('somebody else')).certificate));
    const count = plane.received.length;
    const { text } = run([]);
    await vi.waitFor(() => expect(text()).toMatch(/Offline|cannot be trusted/), wait);
    expect(plane.received).toHaveLength(count);
  });
});
