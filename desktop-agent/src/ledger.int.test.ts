import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LINK_TEST_BOUNDS } from '@svc/contracts/agent/link-test';
import { agentStatus, resultBatch, serverMessage } from '@svc/contracts/agent/messages';
import { encodeShared } from '@svc/contracts/agent/shared-told';
import { canonicalJson } from '@svc/contracts/results/canonical-json';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LedgerBlock } from './publish/ledger.ts';
import { readLedger } from './publish/ledger-records.ts';
import { fromWire } from './result.ts';
import { type AgentProcess, startAgent } from './testing/agent-process.ts';
import { type ControlPlane, startControlPlane } from './testing/control-plane.ts';
import { type WatchingFace, watchAgent } from './testing/face.ts';
import { type RecordingProxy, type SeenMessage, startRecordingProxy } from './testing/recording-proxy.ts';

let plane: ControlPlane;
let proxy: RecordingProxy;
let stateDir: string;
let agent: AgentProcess | undefined;
let face: WatchingFace | undefined;
beforeEach(async () => {
  [plane, stateDir] = await Promise.all([startControlPlane(), mkdtemp(join(tmpdir(), 'svc-ledger-'))]);
  proxy = await startRecordingProxy({
    url: plane.url,
    grpcAddr: plane.grpcAddr,
    leaf: plane.leaf,
    async readIdentity() {
      const [identity, keyPem] = await Promise.all(
        ['identity.json', 'key.pem'].map((name) => readFile(join(stateDir, 'identity', name), 'utf8')),
      );
      return { chain: JSON.parse(identity ?? '').chain, keyPem: keyPem ?? '' };
    },
  });
  plane.advertised = proxy.grpcAddr;
});
afterEach(async () => {
  face?.close();
  agent?.child.kill('SIGKILL');
  await agent?.exited;
  await proxy.close();
  await plane.close();
  await rm(stateDir, { recursive: true, force: true });
});

const start = (env: Record<string, string> = {}): void => {
  agent = startAgent({
    args: ['run', '--enroll-stdin', '--server', proxy.url],
    stateDir,
    input: `${plane.token}\n`,
    env: {
      SVC_ENDPOINT_WIFI_INTERVAL_SECONDS: '1',
      SVC_ENDPOINT_GATEWAY_INTERVAL_SECONDS: '2',
      SVC_ENDPOINT_SESSION_INTERVAL_SECONDS: '5',
      SVC_AGENT_SITE: 'Lyon',
      SVC_AGENT_OWNER_EMAIL: 'ada@example.org',
      ...env,
    },
  });
};
const wait = { timeout: 30_000, interval: 50 };
async function stop(): Promise<void> {
  face?.close();
  face = undefined;
  // That a face went is told: what is handed over in the moment of the end may not leave any more.
  await sleep(1000);
  agent?.child.kill('SIGTERM');
  expect(await agent?.exited).toBe(0);
}
async function ledgerBlocks(): Promise<LedgerBlock[]> {
  const blocks: LedgerBlock[] = [];
  for await (const { block, intact } of readLedger(join(stateDir, 'ledger'))) {
    expect(intact).toBe(true);
    if (block) blocks.push(block);
  }
  return blocks;
}
const inBrief = ({ kind, sha256, bytes }: { kind?: string; sha256?: string; bytes?: number }) => `${kind} ${bytes} ${sha256}`;

describe('the ledger beside a proxy that records the wire', { timeout: 120_000 }, () => {
  it('has each message that left, byte for byte and in the order sent, with a receipt for each', async () => {
    start();
    face = await watchAgent(stateDir);
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(8), wait);
    plane.say({ renew_now: true });
    await vi.waitFor(() => expect(plane.renewals).toBe(1), wait);
    await vi.waitFor(() => expect(plane.received.some((one) => one.canary_type === 'endpoint.agent')).toBe(true), {
      ...wait,
      timeout: 60_000,
    });
    // A look for updates is the window's, which tells the service of it.
    await face.call('noteSent', { server: proxy.url, path: '/agent/releases/main/latest-linux.json', atMs: Date.now() });
    await stop();
    const blocks = await ledgerBlocks();
    const messages = blocks.filter(({ kind = 'results' }) => !['receipt', 'update'].includes(kind));
    // What else goes there is a measurement: the session to the control plane, without content.
    const others = proxy.seen.filter(({ kind }) => kind === 'other');
    expect(others.every(({ path, bytes }) => path === '/healthz' && bytes === 0)).toBe(true);
    const wire = proxy.seen.filter(({ kind }) => kind !== 'other');
    for (const kind of ['results', 'status', 'enrol', 'renew']) expect(wire.map((one) => one.kind)).toContain(kind);
    // A renewal runs beside the connection, and is written down when it is over.
    const inOrder = (all: readonly { kind?: string }[]) => all.filter(({ kind }) => kind !== 'renew').map(inBrief);
    expect(inOrder(messages)).toEqual(inOrder(wire));
    expect(messages.map(inBrief).toSorted()).toEqual(wire.map(inBrief).toSorted());

    for (const { sha256, kind, content } of wire) {
      const block = messages.find((one) => one.sha256 === sha256);
      if (kind === 'results')
        expect(block?.results.map(({ result }) => canonicalJson(result))).toEqual(
          resultBatch.decode(content).results.map((one) => canonicalJson(fromWire(one))),
        );
      if (kind === 'status') expect(agentStatus.decode(content)).toMatchObject(block?.message?.sent ?? { missing: true });
      if (kind === 'renew') expect(block?.message?.sent).toEqual(JSON.parse(content.toString()));
    }
    const [enrolment] = blocks;
    expect(enrolment?.kind).toBe('enrol');
    expect(enrolment?.message?.sent).toMatchObject({ token: `secret of ${plane.token.length} characters` });
    expect(JSON.stringify(blocks)).not.toContain(plane.token);

    const receipts = new Map(blocks.map(({ receipt }) => [receipt?.of, receipt]));
    const batches = messages.filter(({ kind }) => kind === 'results');
    for (const batch of batches.slice(0, -1)) expect(receipts.get(batch.sha256 ?? '')?.state).toBe('signed');
    for (const kind of ['status', 'enrol', 'renew']) {
      const all = messages.filter((one) => one.kind === kind);
      // The last of what goes over a connection may have been sent in the moment of its end.
      const states = all.slice(0, kind === 'status' ? -1 : undefined).map(({ sha256 }) => receipts.get(sha256 ?? '')?.state);
      expect(new Set(states), kind).toEqual(new Set(['signed']));
    }
    expect(blocks.find(({ kind }) => kind === 'update')?.message?.sent).toMatchObject({ method: 'GET' });
  });

  it('has a test of the line and what others have too, each way and byte for byte', async () => {
    start();
    face = await watchAgent(stateDir);
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(0), wait);
    const shared = encodeShared({ cause: 'wifi', others: 8, sinceMs: 1_795_600_000_000 });
    plane.say({ shared_json: shared });
    plane.say({ shared_json: '{}' });
    await face.call('testDeeper', {});
    await vi.waitFor(() => expect(face?.states.at(-1)?.deepTest?.done).toContain('line'), wait);
    await sleep(500);
    const { entries, todayBytes } = await face.call('ledger', { limit: 200 });
    await stop();
    const blocks = await ledgerBlocks();
    const carried = (list: readonly SeenMessage[], kind: string) => {
      const contents = list.filter((one) => one.kind === kind).map(({ content }) => content);
      const hash = createHash('sha256').update(Buffer.concat(contents)).digest('hex');
      return { messages: contents.length, bytes: contents.reduce((sum, { length }) => sum + length, 0), sha256: hash };
    };
    for (const kind of ['load', 'echo'] as const) {
      for (const direction of ['sent', 'received'] as const) {
        const block = blocks.find((one) => one.kind === kind && (one.direction ?? 'sent') === direction);
        const { messages, ...wire } = carried(direction === 'sent' ? proxy.seen : proxy.heard, kind);
        expect(block, `${kind} ${direction}`).toMatchObject(wire);
        expect(block?.message?.sent).toMatchObject({ messages });
        expect(entries.find((one) => one.kind === kind && one.direction === direction)).toMatchObject(wire);
      }
    }
    expect(carried(proxy.seen, 'load').bytes).toBeGreaterThan(LINK_TEST_BOUNDS.loadBytes);
    const told = blocks.filter(({ kind }) => kind === 'told');
    const onWire = proxy.heard
      .filter(({ kind }) => kind === 'status')
      .map(({ content }) => serverMessage.decode(content).shared_json ?? '')
      .filter((text) => text !== '');
    expect(onWire).toEqual([shared, '{}']);
    expect(told.map(({ direction, bytes, sha256 }) => ({ direction, bytes, sha256 }))).toEqual(
      onWire.map((text) => ({
        direction: 'received',
        bytes: text.length,
        sha256: createHash('sha256').update(text).digest('hex'),
      })),
    );
    expect(told[0]?.message?.sent).toEqual(JSON.parse(shared));
    expect(entries.filter(({ kind }) => kind === 'told').map(({ direction }) => direction)).toEqual(['received', 'received']);
    // What came was not sent.
    const sent = blocks.filter(({ direction, kind }) => direction !== 'received' && kind !== 'receipt');
    expect(todayBytes).toBeLessThanOrEqual(sent.reduce((sum, { bytes = 0 }) => sum + bytes, 0));
  });

  it('shows what a strict device kept back at enrolment and in its status, and that none of it left', async () => {
    start({ SVC_ENDPOINT_PRIVACY: 'strict' });
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(2), wait);
    await stop();
    const blocks = await ledgerBlocks();
    const told = blocks.filter(({ kind }) => kind === 'enrol' || kind === 'status');
    expect(told.length).toBeGreaterThan(1);
    const [enrolment] = told;
    expect(enrolment?.message?.withheld).toMatchObject({ site: 'Lyon', owner_email: 'ada@example.org' });
    for (const { message } of told) {
      for (const name of ['device_name', 'site', 'owner_email', 'os_version', 'model'])
        expect(message?.sent).not.toHaveProperty(name);
    }
    const wire = proxy.seen.map(({ content }) => content.toString('latin1')).join();
    for (const word of ['Lyon', 'ada@example.org']) expect(wire).not.toContain(word);
  });

  it('says of a receipt that is missing or wrong that it is', async () => {
    plane.faults.receipts = 'none';
    start();
    face = await watchAgent(stateDir);
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(2), wait);
    plane.faults.receipts = 'wrong';
    const count = plane.received.length;
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(count + 2), wait);
    await sleep(500);
    const { entries } = await face.call('ledger', { limit: 100 });
    const states = new Set(entries.filter(({ kind }) => kind === 'results').map(({ receipt }) => receipt));
    expect(states).toContain('unsigned');
    expect(states).toContain('invalid');
    // A status is not acknowledged but by a receipt.
    const ofStatuses = new Set(entries.filter(({ kind }) => kind === 'status').map(({ receipt }) => receipt));
    expect(ofStatuses).toContain('none');
    expect(ofStatuses).not.toContain('signed');
    expect(entries.find(({ kind }) => kind === 'enrol')?.receipt).toBe('none');
    await stop();
  });
});
