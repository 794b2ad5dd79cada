import { MessageChannel } from 'node:worker_threads';
import * as contract from '@svc/contracts/agent/ipc';
import { IPC_CALLS, IPC_MAX_CLIENTS, IPC_MAX_FRAME, IPC_PROTOCOL, type ServiceState } from '@svc/contracts/agent/ipc';
import { afterEach, expect, it, vi } from 'vitest';
import { serviceStateOf } from '../testing/service-state.ts';
import { type Channel, createLineReader, portChannel } from './channel.ts';
import { openClient, type ServiceClient } from './client.ts';
import { IpcFault } from './ipc-fault.ts';
import { createProxyFinder, readProxyList } from './proxy-finder.ts';
import { createIpcServer, type FaceCalls, type IpcServer } from './server.ts';

const BOUNDS = { frame: IPC_MAX_FRAME, backlog: 4 * IPC_MAX_FRAME };
const failures: string[] = [];
const state: ServiceState = serviceStateOf();
const untold = (): never => {
  throw new Error('/home/someone/secret is not readable');
};
const calls: FaceCalls = {
  watch: () => state,
  pause: async ({ minutes }) => {
    if (minutes > 1440) throw new IpcFault('refused', 'Too long.');
    await new Promise((resolve) => setTimeout(resolve, 5));
    return { pausedUntilMs: minutes === 0 ? null : minutes };
  },
  helpdesk: untold,
  about: untold,
  testNow: untold,
  testDeeper: untold,
  answerDisclosure: untold,
  disclosure: untold,
  switchItem: untold,
  ledger: untold,
  ledgerEntry: () => ({ results: [{ before: 'x'.repeat(IPC_MAX_FRAME), sent: '', withheld: [] }] }),
  note: () => ({}),
  noteSent: () => ({}),
  proxyFound: () => ({}),
};
const create = (): IpcServer =>
  createIpcServer({
    version: '1.2.3',
    calls,
    load: async () => contract,
    onFailure: (call, error) => void failures.push(`${call}: ${(error as Error).message}`),
    onFaces: () => undefined,
  });

/** A face that sends what it likes; `lines` is what came back, `over` whether it was cut off. */
async function attach(server: IpcServer) {
  const lines: string[] = [];
  let over = false;
  let listener: Parameters<Channel['start']>[0] | undefined;
  const channel: Channel = {
    send: (line) => void lines.push(line),
    start(given) {
      listener = given;
    },
    close() {
      over = true;
      listener?.closed();
    },
  };
  await server.accept(() => channel);
  return { lines, say: (text: string) => listener?.line(text), isOver: () => over };
}
const hello = (face = 'window') => JSON.stringify({ id: 0, call: 'hello', input: { protocol: IPC_PROTOCOL, face } });
const tick = () => new Promise((resolve) => setTimeout(resolve, 20));

let clients: ServiceClient[] = [];
afterEach(() => {
  for (const client of clients) client.close();
  clients = [];
  failures.length = 0;
});
async function connect(server: IpcServer, face: 'window' | 'cli' = 'window'): Promise<ServiceClient> {
  const { port1, port2 } = new MessageChannel();
  await server.accept((bounds) => portChannel(port1, bounds));
  const client = await openClient(portChannel(port2, BOUNDS), face);
  clients.push(client);
  return client;
}

it('answers over a port, in any order, and sends events to who watches alone', async () => {
  const server = create();
  const [one, other] = [await connect(server), await connect(server, 'cli')];
  expect(one.version).toBe('1.2.3');
  const seen: ServiceState[] = [];
  one.on('state', (value) => seen.push(value));
  other.on('state', () => expect.unreachable());
  expect(server.emit('state', state)).toBe(0);
  expect(await one.call('watch', {})).toEqual(state);
  expect([server.watchers(), server.faces('window'), server.faces()]).toEqual([1, 1, 2]);
  expect(server.emit('state', state)).toBe(1);
  await vi.waitFor(() => expect(seen).toEqual([state]));
  const answers = await Promise.all([1, 2, 3].map((minutes) => other.call('pause', { minutes })));
  expect(answers.map((answer) => answer.pausedUntilMs)).toEqual([1, 2, 3]);
});

it('tells refusals as they are and failures without their details', async () => {
  const client = await connect(create());
  await expect(client.call('pause', { minutes: 5000 })).rejects.toMatchObject({ code: 'refused', message: 'Too long.' });
  await expect(client.call('pause', { minutes: -1 })).rejects.toMatchObject({ code: 'bad_input' });
  const error = await client.call('helpdesk', {}).catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ code: 'failed' });
  expect(String(error)).not.toContain('secret');
  expect(failures).toEqual(['helpdesk: /home/someone/secret is not readable']);
  await expect(client.call('ledgerEntry', { id: 1 })).rejects.toMatchObject({ code: 'failed' });
});

it('takes eight faces and no ninth, and one again when another left', async () => {
  const server = create();
  for (let n = 0; n < IPC_MAX_CLIENTS; n++) await connect(server);
  const ninth = await attach(server);
  expect(ninth.isOver()).toBe(true);
  clients[0]?.close();
  await vi.waitFor(() => expect(server.faces()).toBe(IPC_MAX_CLIENTS - 1));
  await connect(server);
});

it('lets go of who says nothing for ten seconds', async () => {
  vi.useFakeTimers();
  try {
    const server = create();
    const [silent, greeted] = [await attach(server), await attach(server)];
    greeted.say(hello());
    await vi.advanceTimersByTimeAsync(10_001);
    expect([silent.isOver(), greeted.isOver(), server.faces()]).toEqual([true, false, 1]);
  } finally {
    vi.useRealTimers();
  }
});

it('ends all calls of a face when the service goes', async () => {
  const server = create();
  const client = await connect(server);
  const asked = client.call('pause', { minutes: 1 });
  server.close();
  await expect(asked).rejects.toMatchObject({ code: 'unreachable' });
  await client.closed;
  await expect(client.call('watch', {})).rejects.toMatchObject({ code: 'unreachable' });
});

it.each([
  ['no JSON', 'pause'],
  ['an array', '[]'],
  ['null', 'null'],
  ['a call without greeting', JSON.stringify({ id: 1, call: 'watch', input: {} })],
  ['a greeting of nobody', JSON.stringify({ id: 1, call: 'hello', input: { protocol: IPC_PROTOCOL, face: 'renderer' } })],
  [
    'a greeting of another protocol',
    JSON.stringify({ id: 1, call: 'hello', input: { protocol: IPC_PROTOCOL + 1, face: 'cli' } }),
  ],
])('cuts off a face that begins with %s', async (_, line) => {
  const face = await attach(create());
  face.say(line);
  await tick();
  expect(face.isOver()).toBe(true);
  expect(face.lines.every((one) => one.includes('"refused"'))).toBe(true);
});

it.each([
  ['an unknown call', { id: 1, call: 'shutdown', input: {} }],
  ['a name of the prototype', { id: 1, call: 'constructor', input: {} }],
  ['__proto__', { id: 1, call: '__proto__', input: {} }],
  ['a second greeting', { id: 1, call: 'hello', input: { protocol: IPC_PROTOCOL, face: 'cli' } }],
  ['an id that is none', { id: -1, call: 'watch', input: {} }],
  ['a key too many', { id: 1, call: 'watch', input: {}, more: 1 }],
])('cuts off a greeted face for %s, and no other', async (_, request) => {
  const server = create();
  const [bad, good] = [await attach(server), await connect(server)];
  bad.say(hello());
  bad.say(JSON.stringify(request));
  await tick();
  expect(bad.isOver()).toBe(true);
  expect(await good.call('watch', {})).toEqual(state);
});

/** Small generator of numbers, so that a failure comes again. */
function createRandom(seed: number): () => number {
  let value = seed;
  return () => {
    value = (Math.imul(value, 1664525) + 1013904223) >>> 0;
    return value / 2 ** 32;
  };
}

it('survives thousands of lines of nonsense, and no face sees another one’s', async () => {
  const server = create();
  const bystander = await attach(server);
  bystander.say(hello('cli'));
  const random = createRandom(20261121);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const values = [() => 'null', () => '-1', () => '1e999', () => '"x"', () => '{}', () => '[]', () => 'true', () => deep(500)];
  const inputs = [...values, () => '{"__proto__":{"minutes":1}}', () => '{"minutes":"1"}', () => `{"minutes":${random() * 1e5}}`];
  const names = [...Object.keys(IPC_CALLS), 'toString', '', 'x'.repeat(100)];
  const bytes = () => Buffer.from(Array.from({ length: 40 }, () => Math.floor(random() * 256))).toString('latin1');
  const request = () =>
    `{"id":${pick([...values, () => '7'])()},"call":${JSON.stringify(pick(names))},"input":${pick(inputs)()}}`;
  const cut = () => request().slice(0, Math.floor(random() * 30));
  for (let n = 0; n < 3000; n += 1) {
    const face = await attach(server);
    face.say(hello());
    face.say(pick([bytes, request, request, cut])());
    face.say(pick([bytes, request, cut])());
    for (const line of face.lines) expect(Object.keys(JSON.parse(line))[0]).toBe('id');
    server.faces();
    closeOf(face);
  }
  const deepest = await attach(server);
  deepest.say(hello());
  deepest.say(`{"id":1,"call":"pause","input":${deep(400_000)}}`);
  await tick();
  expect(JSON.parse(deepest.lines.at(-1) ?? '')).toMatchObject({ id: 1, fault: { code: 'bad_input' } });
  expect(bystander.isOver()).toBe(false);
  expect(bystander.lines).toHaveLength(1);
  bystander.say(JSON.stringify({ id: 5, call: 'pause', input: { minutes: 3 } }));
  await tick();
  expect(bystander.lines.at(-1)).toBe('{"id":5,"output":{"pausedUntilMs":3}}');
  expect(Object.prototype).not.toHaveProperty('minutes');
});
/** Leaves as a face does that was not cut off. */
const closeOf = (face: { say(text: string): unknown }): unknown => face.say('bye');

it('cuts lines over the bound and joins those that come in pieces', () => {
  const lines: string[] = [];
  const fault = vi.fn();
  const read = createLineReader(10, (line) => lines.push(line), fault);
  for (const part of ['on', 'e\ntw', 'o\n', '\n', 'ünf\nsi']) read(Buffer.from(part));
  expect(lines).toEqual(['one', 'two', '', 'ünf']);
  expect(fault).not.toHaveBeenCalled();
  read(Buffer.from('x'.repeat(9)));
  read(Buffer.from('\nlater\n'));
  expect(fault).toHaveBeenCalledTimes(1);
  expect(lines).toHaveLength(4);
});

it.each([
  ['PROXY a.example:3128; DIRECT', 'http://a.example:3128'],
  ['DIRECT', null],
  ['HTTPS b.example:443', 'https://b.example:443'],
  ['SOCKS5 c.example:1080', 'socks5://c.example:1080'],
  ['PROXY', null],
  ['PROXY not a host', 'http://not'],
  ['NONSENSE d:1', null],
  ['', null],
])('reads the proxies %j', (list, proxy) => expect(readProxyList(list)).toBe(proxy));

it('goes direct where no window answers in a second or none is there', async () => {
  const none = createProxyFinder(() => 0);
  expect(await none.proxyFor('https://crm.example/')).toBeNull();
  const asked: number[] = [];
  const finder = createProxyFinder(({ ask }) => asked.push(ask));
  const first = finder.proxyFor('https://crm.example/');
  const second = finder.proxyFor('https://hr.example/');
  finder.found(asked[1] ?? 0, 'PROXY p:3128');
  finder.found(99, 'PROXY q:3128');
  expect(await second).toBe('http://p:3128');
  const began = performance.now();
  expect(await first).toBeNull();
  expect(performance.now() - began).toBeLessThan(1300);
});
