import { createHash, verify, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { RESULTS_SERVICE, resultBatch } from '@svc/contracts/agent/messages';
import { receiptText } from '@svc/contracts/agent/receipt';
import { PROTOCOL_METADATA } from '@svc/contracts/agent/version';
import { CanonicalResult } from '@svc/contracts/results/canonical-result';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OutgoingMessage } from '#bus';
import { AppError, type TenantId } from '#kernel';
import { type EndpointStack, makeWire, startEndpointStack } from '../endpoint/test-stack.ts';
import { deviceCredentials, openPublish } from '../fleet/test-devices.ts';

let stack: EndpointStack;
let acme: TenantId;
/** What the bus took, and how it behaves now. */
let published: OutgoingMessage[] = [];
let isDown = false;
let gate: Promise<void> = Promise.resolve();

beforeAll(async () => {
  stack = await startEndpointStack((bus) => ({
    ...bus,
    async publish(_topic, messages) {
      await gate;
      if (isDown) throw new AppError('unavailable', 'The bus does not answer.', { retryAfterSeconds: 3 });
      published.push(...messages.map((message) => ({ ...message, value: Buffer.from(message.value) })));
    },
  }));
  acme = await stack.addTenant('acme');
});
beforeEach(() => {
  published = [];
  isDown = false;
  gate = Promise.resolve();
});
afterAll(async () => {
  await stack.close();
});

const openDevice = async () => {
  const { identity, keyPem } = await stack.enrolDevice(acme);
  return { ...openPublish({ address: stack.address, credentials: deviceCredentials(identity, keyPem) }), id: identity.agent_id };
};
const results = () => published.map(({ value }) => CanonicalResult.parse(JSON.parse(value.toString('utf8'))));

/** Accepted, or refused for this reason. */
const countOf = (word: string): number => {
  const counts = stack.intake.counts().filter(({ attributes }) => attributes?.tenant === acme);
  return counts.find(({ name, attributes }) => (attributes?.reason ?? name.split('.').at(-1)) === word)?.value ?? 0;
};

describe('publishing results', () => {
  it('acknowledges in order what the bus has, under the tenant and agent of the certificate', async () => {
    const device = await openDevice();
    for (const sequence of [1, 2, 3])
      device.stream.write({ sequence, results: [makeWire(), makeWire({ attributes: { note: 'é' } })] });
    expect(await device.next(3)).toMatchObject(
      [1, 2, 3].map((sequence) => ({ sequence, accepted: 2, rejected: 0, rejected_reasons: [] })),
    );
    expect(published.every(({ tenant }) => tenant === 'acme')).toBe(true);
    expect(results().every((result) => result.tenant_id === 'acme' && result.agent_id === device.id)).toBe(true);
    await device.stop();
  });

  it('signs a receipt for the very bytes, with the key that issued the certificate', async () => {
    const { identity, keyPem } = await stack.enrolDevice(acme);
    const device = openPublish({ address: stack.address, credentials: deviceCredentials(identity, keyPem) });
    const batch = { sequence: 7, results: [makeWire()] };
    device.stream.write(batch);
    const [ack] = await device.next(1);
    const receivedAtMs = ack?.received_at_ms ?? 0;
    expect(receivedAtMs).toBeGreaterThan(0);
    const [, issuer = ''] = identity.chain.split(/(?<=-----END CERTIFICATE-----)/);
    const key = { key: new X509Certificate(issuer).publicKey, dsaEncoding: 'ieee-p1363' as const };
    const sha256 = createHash('sha256').update(resultBatch.encode(batch)).digest('hex');
    const of = { tenant: acme, agentId: identity.agent_id, sequence: 7, sha256, accepted: 1, rejected: 0, receivedAtMs };
    const holds = (text: string) => verify('sha256', Buffer.from(text), key, ack?.receipt ?? Buffer.alloc(0));
    expect(holds(receiptText(of))).toBe(true);
    expect(holds(receiptText({ ...of, accepted: 2 }))).toBe(false);
    await device.stop();
  });

  it('signs nothing for a batch without results', async () => {
    const device = await openDevice();
    device.stream.write({ sequence: 1, results: [] });
    const [ack] = await device.next(1);
    expect(ack).toMatchObject({ sequence: 1, accepted: 0 });
    expect(ack?.receipt ?? Buffer.alloc(0)).toHaveLength(0);
    await device.stop();
  });

  it('takes the good results of a batch and gives the reasons of the others', async () => {
    const device = await openDevice();
    const bad = [
      makeWire({ metrics: { 'rtt.avg.ms': Number.POSITIVE_INFINITY } }),
      makeWire({ attributes: { 'network.wifi.bssid': 'aa:bb:cc:dd:ee:ff' } }),
      makeWire({ canary_type: 'http' }),
      makeWire({ canary_type: 'dns' }),
    ];
    device.stream.write({ sequence: 1, results: [makeWire(), ...bad, makeWire()] });
    const [ack] = await device.next(1);
    expect(ack).toMatchObject({ accepted: 2, rejected: 4 });
    expect(ack?.rejected_reasons).toHaveLength(3);
    expect(published).toHaveLength(2);
    device.stream.write({ sequence: 2, results: bad });
    expect((await device.next(2))[1]).toMatchObject({ sequence: 2, accepted: 0, rejected: 4 });
    await device.stop();
  });

  it('clamps a clock in the future', async () => {
    const device = await openDevice();
    device.stream.write({ sequence: 1, results: [makeWire({ started_at_us: (Date.now() + 3_600_000) * 1000 })] });
    await device.next(1);
    expect(Date.parse(results()[0]?.started_at ?? '')).toBeLessThanOrEqual(Date.now());
    await device.stop();
  });

  it('acknowledges nothing while the bus is down, and says when to try again', async () => {
    const device = await openDevice();
    isDown = true;
    device.stream.write({ sequence: 1, results: [makeWire()] });
    expect(await device.ended).toMatchObject({ code: status.UNAVAILABLE, appCode: 'unavailable' });
    expect(device.messages).toEqual([]);
    device.close();
  });

  it('answers what it has read before it goes down', async () => {
    const own = await startEndpointStack();
    const { identity, keyPem } = await own.enrolDevice(await own.addTenant('acme'));
    const device = openPublish({ address: own.address, credentials: deviceCredentials(identity, keyPem) });
    device.stream.write({ sequence: 1, results: [makeWire()] });
    await device.next(1);
    device.stream.write({ sequence: 2, results: [makeWire()] });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await own.grpc.drain();
    expect(await device.ended).toMatchObject({ code: status.OK });
    expect(device.messages.map((ack) => ack.sequence)).toEqual([1, 2]);
    device.close();
    await own.close();
  });

  it('ends the stream that an agent had when it opens a new one', async () => {
    const { identity, keyPem } = await stack.enrolDevice(acme);
    const open = () => openPublish({ address: stack.address, credentials: deviceCredentials(identity, keyPem) });
    const former = open();
    former.stream.write({ sequence: 1, results: [makeWire()] });
    await former.next(1);
    const newer = open();
    newer.stream.write({ sequence: 1, results: [makeWire()] });
    await newer.next(1);
    expect(await former.ended).toMatchObject({ code: status.ABORTED, appCode: 'conflict' });
    await newer.stop();
    former.close();
  });

  it('stops reading a device while eight of its batches wait for the bus', async () => {
    const device = await openDevice();
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    const accepted = () => countOf('accepted');
    const before = accepted();
    for (let sequence = 1; sequence <= 40; sequence += 1) device.stream.write({ sequence, results: [makeWire()] });
    await new Promise((done) => setTimeout(done, 200));
    expect(device.messages).toEqual([]);
    resolve();
    expect((await device.next(40)).map((ack) => ack.sequence)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    expect(accepted() - before).toBe(40);
    await device.stop();
  });
});

/** A device that keeps its window closed: it sends, and takes nothing. */
async function openClosedWindow() {
  const { identity, keyPem: key } = await stack.enrolDevice(acme);
  const settings = { initialWindowSize: 0 };
  const session = connectHttp2(`https://${stack.address}`, { ca: identity.grpc_ca, key, cert: identity.chain, settings });
  session.on('error', () => {});
  await once(session, 'remoteSettings');
  const headers = { ':method': 'POST', ':path': RESULTS_SERVICE.publish.path, 'content-type': 'application/grpc' };
  const stream = session.request({ ...headers, te: 'trailers', [PROTOCOL_METADATA]: '1' }, { endStream: false });
  stream.on('error', () => {}).resume();
  const write = (sequence: number): void => {
    const batch = resultBatch.encode({ sequence, results: [makeWire()] });
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(batch.length, 1);
    stream.write(Buffer.concat([prefix, batch]));
  };
  return { session, write };
}

it('stops reading a device while it takes none of eight acknowledgements, and goes on when it does', async () => {
  const { session, write } = await openClosedWindow();
  try {
    const before = countOf('accepted');
    for (let sequence = 1; sequence <= 100; sequence += 1) write(sequence);
    await expect.poll(() => countOf('accepted') - before).toBe(8);
    await sleep(200);
    expect(countOf('accepted') - before).toBe(8);
    session.settings({ initialWindowSize: 65_535 });
    await expect.poll(() => countOf('accepted') - before).toBe(100);
  } finally {
    session.destroy();
  }
});

describe('what is no batch', () => {
  it.each([
    // The last is over what the transport takes at all.
    { name: '1,001 results', count: 1001, attribute: '', code: 'too_large' },
    { name: 'a little over 1 MiB', count: 930, attribute: 'x'.repeat(1020), code: 'too_large' },
    { name: 'far over 1 MiB', count: 1000, attribute: 'x'.repeat(1024), more: 'y'.repeat(200), code: undefined },
  ])('is refused: $name', async ({ count, attribute, more = '', code }) => {
    const device = await openDevice();
    const results = Array.from({ length: count }, () => makeWire({ attributes: { a: attribute, b: more } }));
    const before = countOf('too_large');
    device.stream.write({ sequence: 1, results });
    expect(await device.ended).toMatchObject({ code: status.RESOURCE_EXHAUSTED, appCode: code });
    expect(published).toEqual([]);
    expect(countOf('too_large') - before).toBe(code === undefined ? 0 : 1);
    device.close();
  });

  it('is refused: a sequence that does not rise', async () => {
    const device = await openDevice();
    device.stream.write({ sequence: 5, results: [makeWire()] });
    await device.next(1);
    device.stream.write({ sequence: 5, results: [makeWire()] });
    expect(await device.ended).toMatchObject({ code: status.INVALID_ARGUMENT, appCode: 'validation' });
    device.close();
  });

  it('never hangs nor ends the process: 3,000 damaged batches', async () => {
    const { decodeBatch, admitBatch } = await import('./admit.ts');
    const good = resultBatch.encode({ sequence: 1, results: [makeWire(), makeWire()] });
    const agent = { tenant: acme, agentId: 'a', fingerprint: '' };
    let seed = 3;
    const random = (bound: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % bound;
    };
    for (let i = 0; i < 3000; i += 1) {
      const bytes = Buffer.from(good.subarray(0, 1 + random(good.length)));
      for (let flips = random(6); flips > 0; flips -= 1) bytes[random(bytes.length)] = random(256);
      try {
        const { messages } = admitBatch(decodeBatch(bytes), agent, Date.now());
        for (const { value } of messages) CanonicalResult.parse(JSON.parse(value.toString('utf8')));
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
      }
    }
  });
});
