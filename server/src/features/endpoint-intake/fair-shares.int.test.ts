import { Metadata, makeGenericClientConstructor } from '@grpc/grpc-js';
import { RESULTS_SERVICE, resultBatch } from '@svc/contracts/agent/messages';
import { PROTOCOL_METADATA } from '@svc/contracts/agent/version';
import { measureFairShare, repeatAtOnce } from '@svc/testkit/fair-share';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TenantId } from '#kernel';
import { fillFleet } from '../endpoint/test-fleet-rows.ts';
import { type EndpointStack, makeWire, startEndpointStack } from '../endpoint/test-stack.ts';
import { type DeviceStream, deviceCredentials, openPublish } from '../fleet/test-devices.ts';

const LOUD_AGENTS = 10;
const SEQUENCE_FIELD = 1 << 3;

let stack: EndpointStack;
let quiet: TenantId;
let loud: TenantId;
beforeAll(async () => {
  stack = await startEndpointStack();
  [quiet, loud] = [await stack.addTenant('quiet'), await stack.addTenant('loud')];
  await stack.startConsumers();
});
afterAll(() => stack.close());

const credentialsOf = async (tenant: TenantId) => {
  const { identity, keyPem } = await stack.enrolDevice(tenant);
  return { id: identity.agent_id, credentials: deviceCredentials(identity, keyPem) };
};

const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)]);

/** A batch as large as a batch may be, encoded once: only its sequence, which goes behind, is made for each. */
const RESULTS = resultBatch.encode({ sequence: 0, results: Array.from({ length: 1000 }, () => makeWire()) });
const batchOf = (sequence: number): Buffer => Buffer.concat([RESULTS, Buffer.from([SEQUENCE_FIELD, ...varint(sequence)])]);
const RawClient = makeGenericClientConstructor(
  { publish: { ...RESULTS_SERVICE.publish, requestSerialize: (bytes: Buffer) => bytes } } as never,
  'Results',
);

/** Sends the largest batches as fast as the server reads them, and again where it ended the stream. */
async function flood(credentials: Parameters<typeof openPublish>[0]['credentials'], signal: AbortSignal): Promise<void> {
  const metadata = new Metadata();
  metadata.set(PROTOCOL_METADATA, '1');
  while (!signal.aborted) {
    const client = new RawClient(stack.address, credentials, { 'grpc.use_local_subchannel_pool': 1 });
    const stream = client.publish?.(metadata) as DeviceStream<Buffer, unknown>['stream'];
    const ended = new Promise<void>((resolve) => stream.on('error', () => resolve()).on('end', () => resolve()));
    stream.on('data', () => undefined);
    let sequence = 0;
    const fill = (): void => {
      if (signal.aborted) stream.cancel();
      else if (stream.write(batchOf(++sequence))) setImmediate(fill);
      else stream.once('drain', fill);
    };
    signal.addEventListener('abort', () => stream.cancel(), { once: true });
    fill();
    await ended;
    client.close();
  }
}

test('results of a quiet tenant are readable in time beside devices of another that send all they can', async () => {
  const device = await credentialsOf(quiet);
  const stream = openPublish({ address: stack.address, credentials: device.credentials });
  const attackers = await Promise.all(Array.from({ length: LOUD_AGENTS }, () => credentialsOf(loud)));
  const console = stack.callAs(quiet).endpoint;
  let sequence = 0;
  const measured = await measureFairShare({
    quiet: async () => {
      const avg = ++sequence;
      stream.stream.write({ sequence, results: [makeWire({ metrics: { 'rtt.avg.ms': avg, 'packet.loss.ratio': 0 } })] });
      await stream.next(sequence);
      await expect
        .poll(async () => (await console.device({ id: device.id })).endpoint.gateway_rtt_ms.value, {
          interval: 20,
          timeout: 20_000,
        })
        .toBe(avg);
      await expect
        .poll(async () => (await console.history({ id: device.id, limit: 1 })).items[0]?.metrics['rtt.avg.ms'], {
          interval: 20,
          timeout: 20_000,
        })
        .toBe(avg);
    },
    loud: async (signal) => {
      await Promise.all(attackers.map(({ credentials }) => flood(credentials, signal)));
    },
    requests: 4,
  });
  expect(measured.beside.p95, JSON.stringify(measured)).toBeLessThanOrEqual(measured.boundMs);
  await stream.stop();
});

test.each([
  ['exports its whole fleet', (api: ReturnType<EndpointStack['callAs']>['endpoint']) => api.csv({})],
  [
    'asks for summaries and searches of its fleet',
    (api: ReturnType<EndpointStack['callAs']>['endpoint']) =>
      Promise.all([api.summary({}), api.list({ filter: { search: 'nobody' }, sort: [{ column: 'isp_rtt_ms', desc: true }] })]),
  ],
  [
    'reads the newest results of all its devices',
    (api: ReturnType<EndpointStack['callAs']>['endpoint']) => api.latest({ limit: 1000 }),
  ],
])('pages of a quiet tenant come in time beside one that %s, 20 at once', async (_, ask) => {
  const [mine, theirs] = [await stack.addTenant(`quiet-${Date.now()}`), await stack.addTenant(`loud-${Date.now()}`)];
  await fillFleet(stack.database.relational, mine, 200);
  await fillFleet(stack.database.relational, theirs, 20_000);
  // Without statistics PostgreSQL plans for tables that are empty.
  await stack.database.analyze();
  const api = stack.callAs(theirs).endpoint;
  let answered = 0;
  const measured = await measureFairShare({
    quiet: async () => void (await stack.callAs(mine).endpoint.list({})),
    loud: async (signal) => void (await repeatAtOnce(20, signal, () => ask(api).then(() => answered++))),
    // Of fewer than 21 the p95 is the slowest one.
    requests: 21,
  });
  expect(answered, 'the loud tenant is served too').toBeGreaterThan(0);
  expect(measured.beside.p95, JSON.stringify(measured)).toBeLessThanOrEqual(measured.boundMs);
});
