import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { PathMeasurement } from '@svc/probes/path';
import type { Chores } from '../src/chores/chores.ts';
import type { RunChore } from '../src/chores/run-chore.ts';
import { systemClock } from '../src/clock.ts';
import { readConfig } from '../src/config.ts';
import { withSent } from '../src/identity/attempt.ts';
import { enroll, renew } from '../src/identity/enroll.ts';
import type { ProbeSet, SessionOrder } from '../src/measure/probe-set.ts';
import { readLedger } from '../src/publish/ledger-records.ts';
import { startService } from '../src/service.ts';
import { startControlPlane } from '../src/testing/control-plane.ts';
import { watchAgent } from '../src/testing/face.ts';
import { gateway, hop, path, session, wifi } from '../src/testing/readings.ts';

/**
 * What an agent sends in a day where much is measured: Wi-Fi, three targets of ten hops, five services, two resolvers, at the default
 * cadence. The readings are made up and never twice the same; enrolment, TLS, HTTP/2, compression and receipts are real.
 *   node desktop-agent/bench/sent-bytes.ts --minutes 15 [--write FILE]
 */
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '15' }, write: { type: 'string' } } });
const minutes = Number(values.minutes);
const DAY_MS = 86_400_000;
const TARGETS = ['203.0.113.10', '198.51.100.20', '192.0.2.30'];
const SERVICES = ['mail', 'crm', 'wiki', 'files', 'video'].map((name) => `https://${name}.example.org/`);
const RESOLVERS = ['10.20.0.53', '10.20.1.53'];

/** A reading as clocks give it: never the same, with digits. */
const around = (value: number): number => value * (0.8 + Math.random() * 0.4);

function madeUpPath(target: string): { value: PathMeasurement } {
  const { value } = path({}, target);
  const hops = Array.from({ length: 10 }, (_, i) =>
    hop({
      hop: i + 1,
      address: i < 2 ? `10.20.${i}.1` : `203.0.113.${i}`,
      isPublic: i > 1,
      segment: i < 2 ? 'local' : i === 2 ? 'isp-edge' : 'beyond',
      rttAvgMs: around(2 + i * 3),
    }),
  );
  return { value: { ...value, target, hops, segments: value.segments.map((one) => ({ ...one, rttAvgMs: around(8) })) } };
}

const probes = {
  readWifi: async () => wifi({ rssiDbm: { value: -Math.round(around(60)) }, linkRateMbps: { value: around(400) } }),
  readResolvers: async () => ({ value: { servers: RESOLVERS, source: 'made up' } }),
  measureGateway: async () =>
    gateway({ rttAvgMs: around(3), rttMinMs: around(2), rttMaxMs: around(5), durationMs: around(2000) }),
  measureForwarding: async () => undefined,
  measurePath: async ({ target }: { target: string }) => madeUpPath(target),
  measureResolver: async ({ server }: { server: string }) => ({
    server,
    success: true,
    rttAvgMs: around(12),
    lossRatio: 0,
    responseCode: 'NOERROR',
  }),
  measureSession: async ({ url }: SessionOrder) =>
    session({ url, dnsMs: around(9), connectMs: around(20), tlsMs: around(30), ttfbMs: around(60), totalMs: around(130) }),
} as unknown as ProbeSet;

const facts = { deviceName: 'LIS-LT-0143', os: 'linux', osVersion: 'Debian GNU/Linux 12', arch: 'x64', model: 'Latitude 7440' };
const runChore = (async (name: keyof Chores, input: never) => {
  if (name === 'enroll') return await withSent((note) => enroll(input, note));
  if (name === 'renew') return await withSent((note) => renew(input, note));
  if (name === 'hostFacts') return facts;
  return [];
}) as unknown as RunChore;

const none = { unavailable: 'not_supported' } as const;
const [plane, stateDir] = await Promise.all([startControlPlane(), mkdtemp(join(tmpdir(), 'svc-sent-bytes-'))]);
const service = await startService({
  config: readConfig({
    SVC_AGENT_STATE_DIR: stateDir,
    SVC_ENDPOINT_TRACE_TARGETS: TARGETS.join(','),
    SVC_ENDPOINT_SESSION_TARGETS: SERVICES.join(','),
  }),
  version: '1.4.2',
  runChore,
  probes,
  readContext: {
    read: async () => ({
      onBattery: { value: false },
      metered: none,
      vpn: { value: false },
      roams: { value: 3 },
      cellular: { rsrpDbm: none, rsrqDb: none, sinrDb: none },
    }),
  },
  clock: systemClock,
  server: plane.url,
  disclose: () => 'what is collected',
  takeToken: async () => ({ server: plane.url, token: plane.token }),
  log: () => undefined,
});
const face = await watchAgent(stateDir, 'cli');
try {
  const sentBytes = async (): Promise<number> => (await face.call('about', {})).sentBytesDay ?? 0;
  // What connecting costs comes once a day; the rest goes on.
  await sleep(90_000);
  const [first, sinceMs] = [await sentBytes(), performance.now()];
  await sleep(minutes * 60_000);
  const rate = ((await sentBytes()) - first) / (performance.now() - sinceMs);
  const kinds: Record<string, { messages: number; bytes: number }> = {};
  for await (const { block } of readLedger(join(stateDir, 'ledger'))) {
    const { kind = 'results', bytes = 0 } = block ?? {};
    const counted = kinds[kind] ?? { messages: 0, bytes: 0 };
    kinds[kind] = { messages: counted.messages + 1, bytes: counted.bytes + bytes };
  }
  const { ledgerBytes } = await face.call('about', {});
  const figures = {
    what: 'made-up Wi-Fi, 3 targets of 10 hops, 5 services, 2 resolvers, default cadence; TLS and framing included',
    minutes,
    sentBytesPerDay: Math.round(first + rate * DAY_MS),
    /** Before compression, since the start. */
    kinds,
    ledgerBytesPerWeek: Math.round((ledgerBytes / ((minutes + 1.5) * 60_000)) * 7 * DAY_MS),
    node: process.version,
    at: new Date().toISOString(),
  };
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
  if (values.write) {
    const before = await readFile(values.write, 'utf8').then(JSON.parse, () => ({}));
    await writeFile(values.write, `${JSON.stringify({ ...before, wifi: figures }, null, 2)}\n`);
  }
} finally {
  face.close();
  await service.stop();
  await plane.close();
  await rm(stateDir, { recursive: true, force: true });
}
