// An incident from its signal to six providers and back: each by its published contract, over TLS, by the whole product.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { startAlerts } from '@svc/testkit/providers/alerts';
import { startEventsV2 } from '@svc/testkit/providers/events-v2';
import { startJira } from '@svc/testkit/providers/jira';
import type { SimulatedProvider } from '@svc/testkit/providers/kept';
import { startSlack } from '@svc/testkit/providers/slack';
import { startTableApi } from '@svc/testkit/providers/table-api';
import { startTeams } from '@svc/testkit/providers/teams';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createFolderBlobs } from '#blobs';
import { createMemoryBus } from '#bus';
import { createRootCa, createSealer, createServerLeaf, spkiPin } from '#crypto';
import { parseTenantId } from '#kernel';
import type { Telemetry } from '#telemetry';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { openTestTelemetry } from '#test-telemetry';
import { compose, type Product } from '../compose/product.ts';
import { loadConfig } from '../config.ts';

const ACME = parseTenantId('acme');
const HOST = '127.0.0.1';
const INBOUND = 'planted-inbound-secret';
const SECRETS = {
  ...{
    routing: 'R0UT1NGKEY0123456789ABCDEF012345',
    genie: '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0',
    bot: 'xoxb-0000-1111-planted',
  },
  ...{ sig: 'PlantedSignature0123456789abcdefghijklmnopq', password: 'planted-password', token: 'ATATTplantedtoken' },
};

type Kind = 'pager_a' | 'pager_b' | 'chat_a' | 'chat_b' | 'ticket_a' | 'ticket_b';

let database: TestDatabase;
let telemetry: Telemetry;
let folder: string;
let product: Product;
let sims: Record<Kind, SimulatedProvider>;
let logged = '';
const log = pino(
  { level: 'trace' },
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged += chunk.toString();
      done();
    },
  }),
);

async function startProviders(tls: { cert: string; key: string }): Promise<string> {
  const options = { tls, host: HOST };
  const teams = await startTeams({ ...options, sig: SECRETS.sig, limits: [{ most: 1000, ms: 1000 }] });
  sims = {
    pager_a: await startEventsV2({ ...options, routingKey: SECRETS.routing }),
    pager_b: await startAlerts({ ...options, apiKey: SECRETS.genie }),
    chat_a: await startSlack({ ...options, botToken: SECRETS.bot, channel: { id: 'C0123456789', name: 'network' } }),
    chat_b: teams,
    ticket_a: await startTableApi({ ...options, user: 'svc', password: SECRETS.password }),
    ticket_b: await startJira({ ...options, credential: `bot@example.com:${SECRETS.token}`, project: { key: 'OPS' } }),
  };
  const entries: [Kind, string, string][] = [
    ['pager_a', sims.pager_a.origin, SECRETS.routing],
    ['pager_b', sims.pager_b.origin, SECRETS.genie],
    ['chat_a', `${sims.chat_a.origin}/api?channel=C0123456789`, SECRETS.bot],
    ['chat_b', teams.url, ''],
    ['ticket_a', sims.ticket_a.origin, `svc:${SECRETS.password}`],
    ['ticket_b', `${sims.ticket_b.origin}?project=OPS`, `bot@example.com:${SECRETS.token}`],
  ];
  return entries.map(([kind, url, credential]) => `${ACME}|${kind}|${url}|${credential}`).join(',');
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-notify-'));
  database = await createTestDatabase();
  telemetry = await openTestTelemetry();
  const root = await createRootCa({ commonName: 'providers' });
  const leaf = await createServerLeaf(root, { hosts: [HOST, 'localhost'] });
  const caFile = join(folder, 'providers.pem');
  await writeFile(caFile, root.certPem);
  const connectors = await startProviders({ cert: leaf.certPem, key: leaf.keyPem });
  const allow = Object.values(sims).map(({ port }) => `${HOST}:${port}`);
  const config = loadConfig({
    ...{ SVC_DATA_DIR: folder, SVC_PUBLIC_URL: 'https://localhost:8443', SVC_OUTBOUND_CA_FILE: caFile },
    ...{ SVC_OUTBOUND_ALLOW: allow.join(','), SVC_NOTIFY_CONNECTORS: connectors },
    SVC_NOTIFY_INBOUND: `snow:${ACME}:ticket_a:${INBOUND}`,
  });
  const dataDir = { path: folder, join: (...parts: string[]) => join(folder, ...parts), release: () => {} };
  const bus = createMemoryBus({ log });
  const open = { relational: database.relational, telemetry, bus, blobs: createFolderBlobs(dataDir.join('blobs')) };
  const stores = { ...open, dataDir, sealer: createSealer(randomBytes(32)), databaseEnded: undefined, close: async () => {} };
  const tls = { key: leaf.keyPem, cert: leaf.certPem, ca: root.certPem, pin: spkiPin(root.certPem), notAfterMs: Date.now() };
  product = await compose({ config, stores, tls, log });
  await product.slices.notify.start(() => true);
  await product.slices.notifyInbound.start(() => true);
});
afterAll(async () => {
  await product?.drain();
  await Promise.all(Object.values(sims ?? {}).map((sim) => sim.close()));
  await telemetry?.close();
  await database?.close();
  await rm(folder, { recursive: true, force: true });
});

const raise = () =>
  product.slices.incidents.raise(ACME, {
    ...{ plane: 'tests', kind: 'test.failing', severity: 'critical', title: 'Shop <home> fails & *burns*', summary: 'TLS' },
    ...{
      target: 'https://shop.example/',
      attributes: { 'test.id': '1', 'test.cause': 'it answers 502, wanted <200> & a page' },
      dedup_key: 'test/1',
      occurred_at: new Date().toISOString(),
    },
  });

const all = () => Object.entries(sims) as [Kind, SimulatedProvider][];
const within = { timeout: 15_000, interval: 50 };
/** What a person sees: at chats a post stays, and what ends it is another one. */
const isChat = (kind: Kind): boolean => kind === 'chat_a' || kind === 'chat_b';
const statesOf = () => Object.fromEntries(all().map(([kind, sim]) => [kind, sim.objects().map(({ state }) => state)]));

test('an incident is told to six providers once, and what is resolved in one ticket system is resolved everywhere and not told back', async () => {
  await raise();
  await vi.waitFor(
    () => expect(all().map(([kind, sim]) => [kind, sim.objects().length])).toEqual(all().map(([kind]) => [kind, 1])),
    within,
  );
  // Why it fails is read by whoever is told, in the spelling of each.
  for (const [kind, sim] of all())
    expect([kind, JSON.stringify(sim.calls)]).toEqual([kind, expect.stringContaining('t answers 502')]);
  const { body } = await product.http.app.inject({
    method: 'POST',
    url: '/ingest/itsm/ticket_a/snow',
    headers: { 'content-type': 'application/json', 'x-svc-token': INBOUND },
    payload: JSON.stringify({ sys_id: sims.ticket_a.objects()[0]?.id, state: '6' }),
  });
  // What was opened is written a moment after it was: the delivery may come before.
  await vi.waitFor(async () => {
    await product.slices.notifyInbound.doWaiting(ACME);
    const states = statesOf();
    for (const [kind] of all().filter(([kind]) => kind !== 'ticket_a' && !isChat(kind)))
      expect([kind, states[kind]]).toEqual([kind, ['resolved']]);
    expect(sims.chat_b.calls.length).toBe(2);
  }, within);
  expect(JSON.parse(body)).toMatchObject({ accepted: 1 });
  // Nothing went back to where it came from.
  expect(sims.ticket_a.calls.filter(({ method }) => method === 'PATCH')).toEqual([]);
  expect(all().flatMap(([kind, sim]) => sim.breaches.map((breach) => `${kind}: ${breach}`))).toEqual([]);
  for (const secret of [...Object.values(SECRETS), INBOUND]) expect([secret, logged.includes(secret)]).toEqual([secret, false]);
});
