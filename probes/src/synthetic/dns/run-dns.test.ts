import net from 'node:net';
import tls from 'node:tls';
import { Measured } from '@svc/contracts/tests/run-report';
import type { TestSpecInput } from '@svc/contracts/tests/test';
import { createCertificates } from '@svc/testkit/netlab/certificates';
import packet from 'dns-packet';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { runTest } from '../run-test.ts';
import { createTargetGuard } from '../safety/target-guard.ts';
import { type Answerer, answerA, startNameServer } from '../testing/name-server.ts';
import { createServers, spec, toolsWith } from '../testing/servers.ts';

const servers = createServers();
afterAll(() => servers.close());
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
const start = async (answer: Answerer): Promise<string> => {
  const server = await startNameServer(answer);
  closing.push(server.close);
  return server.address;
};

type Params = Extract<TestSpecInput, { type: 'dns' }>['params'];
const run = async (target: string, params: Params, { seconds = 2, tools = {} } = {}) =>
  Measured.parse(await runTest(spec({ type: 'dns', target, params, timeout_seconds: seconds }), toolsWith(tools)));

const respond = (query: packet.Packet, answers: unknown[], flags = 0): Buffer =>
  packet.encode({
    type: 'response',
    id: query.id ?? 0,
    flags,
    questions: query.questions ?? [],
    answers: answers as packet.Answer[],
  });

/** Length and message over a stream. */
const framed = (message: Buffer): Buffer => Buffer.concat([Buffer.from([message.length >> 8, message.length & 0xff]), message]);
const onStream = (answer: (query: packet.Packet) => Buffer) => (socket: net.Socket) =>
  void socket.once('data', (bytes: Buffer) => socket.write(framed(answer(packet.decode(bytes.subarray(2))))));

describe('a test of dns', () => {
  it('tells code, answers, TTL and what the resolver said', async () => {
    const resolver = await start((query, send) => send(answerA(query, ['192.0.2.7', '192.0.2.8'])));
    const measured = await run('Shop.Example', {
      resolver,
      assertions: {
        answers_include: ['192.0.2.7'],
        answers_equal: ['192.0.2.8', '192.0.2.7'],
        answers_match: '^192\\.',
        ttl_max_seconds: 60,
      },
    });
    expect(measured).toMatchObject({ success: true, address: '127.0.0.1', figures: { 'dns.answers': 2, 'ttl.seconds': 0 } });
    expect(measured.evidence?.dns_answer).toContain('Shop.Example. 0 IN A 192.0.2.7');
    expect(measured.phases.first_byte).toBeGreaterThan(0);
  });

  it('fails on another code, other answers, a short TTL and no AD flag', async () => {
    const none = await start((query, send) => send(answerA(query, [])));
    expect(await run('gone.example', { resolver: none })).toMatchObject({
      fault: 'assertion',
      error: 'wanted NOERROR, got NXDOMAIN',
    });
    expect(await run('gone.example', { resolver: none, assertions: { code: 'NXDOMAIN' } })).toMatchObject({ success: true });
    const empty = await start((query, send) => send(respond(query, [])));
    expect(await run('empty.example', { resolver: empty })).toMatchObject({
      fault: 'assertion',
      error: expect.stringContaining('a record of type A'),
    });
    const some = await start((query, send) => send(answerA(query, ['192.0.2.7'])));
    const measured = await run('shop.example', {
      resolver: some,
      assertions: {
        answers_include: ['192.0.2.9'],
        answers_equal: ['192.0.2.7', '192.0.2.9'],
        answers_match: 'x',
        ttl_min_seconds: 30,
        authenticated: true,
      },
    });
    expect(measured.assertions.map(({ rule, passed }) => [rule, passed])).toEqual([
      ['code', true],
      ['answers_include', false],
      ['answers_equal', false],
      ['answers_match', false],
      ['ttl_min_seconds', false],
      ['authenticated', false],
    ]);
  });

  it('reads every type in its presentation form', async () => {
    const of: Record<string, [unknown, string]> = {
      AAAA: ['2001:db8::1', '2001:db8::1'],
      CNAME: ['Web.Example', 'web.example.'],
      MX: [{ preference: 10, exchange: 'mail.example' }, '10 mail.example'],
      NS: ['ns.example', 'ns.example.'],
      SRV: [{ priority: 1, weight: 2, port: 443, target: 'x.example' }, '1 2 443 x.example.'],
      TXT: [['v=spf1 ', '-all'], 'v=spf1 -all'],
      CAA: [{ flags: 0, tag: 'issue', value: 'ca.example' }, '0 issue "ca.example"'],
      SOA: [
        { mname: 'ns.example', rname: 'host.example', serial: 7, refresh: 1, retry: 0, expire: 3, minimum: 4 },
        'ns.example. host.example. 7 1 0 3 4',
      ],
      DS: [{ keyTag: 5, algorithm: 13, digestType: 2, digest: Buffer.from('abcd', 'hex') }, '5 13 2 ABCD'],
      DNSKEY: [{ flags: 257, algorithm: 13, key: Buffer.from('key') }, '257 3 13 a2V5'],
      TLSA: [{ usage: 3, selector: 1, matchingType: 1, certificate: Buffer.from('beef', 'hex') }, '3 1 1 BEEF'],
      HTTPS: [Buffer.from('000100000100030268320003000201bb00040004c0000207', 'hex'), '1 . alpn=h2 port=443 ipv4hint=192.0.2.7'],
    };
    const resolver = await start((query, send) => {
      const [question] = query.questions ?? [];
      const type = String(question?.type);
      send(respond(query, [{ type, name: question?.name, ttl: 300, data: of[type === 'UNKNOWN_65' ? 'HTTPS' : type]?.[0] }]));
    });
    for (const [record, [, wanted]] of Object.entries(of)) {
      const measured = await run('shop.example', {
        resolver,
        record: record as 'MX',
        assertions: { answers_equal: [wanted], ttl_min_seconds: 300 },
      });
      expect([record, measured.error]).toEqual([record, undefined]);
    }
  });

  it('asks for the reverse name of an address', async () => {
    const names: string[] = [];
    const resolver = await start((query, send) => {
      names.push(query.questions?.[0]?.name ?? '');
      send(respond(query, [{ type: 'PTR', name: query.questions?.[0]?.name, ttl: 1, data: 'host.example' }]));
    });
    await run('192.0.2.7', { resolver, record: 'PTR' });
    expect(await run('2001:db8::1', { resolver, record: 'PTR', assertions: { answers_equal: ['host.example'] } })).toMatchObject({
      success: true,
    });
    expect(names).toEqual(['7.2.0.192.in-addr.arpa', `1.${'0.'.repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa`]);
  });

  it('asks over TCP and TLS, and by TCP again where an answer was cut short', async () => {
    const tcp = await servers.raw(onStream((query) => answerA(query, ['192.0.2.7'])));
    expect(await run('shop.example', { resolver: `127.0.0.1:${tcp}`, transport: 'tcp' })).toMatchObject({
      success: true,
      phases: { connect: expect.any(Number) },
    });
    const made = await createCertificates({ dns: [], ip: ['127.0.0.1'] });
    const secured = tls.createServer(
      { cert: made.cert, key: made.key, ALPNProtocols: ['dot'] },
      onStream((query) => answerA(query, ['192.0.2.7'])),
    );
    const port = await servers.listen(secured);
    const dot = { resolver: `127.0.0.1:${port}`, transport: 'tls' } as const;
    expect(await run('shop.example', { ...dot, tls: { ca_pem: made.ca } })).toMatchObject({
      success: true,
      certificate: { trusted: true },
    });
    expect(await run('shop.example', dot)).toMatchObject({ fault: 'certificate' });
    const both = await startNameServer((query, send) => send(respond(query, [], packet.TRUNCATED_RESPONSE)));
    closing.push(both.close);
    const long = net.createServer(
      onStream((query) =>
        respond(
          query,
          Array.from({ length: 200 }, (_, i) => ({ type: 'A', name: query.questions?.[0]?.name, data: `192.0.2.${i}` })),
        ),
      ),
    );
    await new Promise<void>((resolve) => long.listen(both.port, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => long.close(() => resolve())));
    const measured = await run('large.example', { resolver: both.address });
    expect(measured).toMatchObject({ success: true, figures: { 'dns.truncated': 1, 'dns.answers': 200 } });
    expect(measured.evidence?.dns_answer?.length).toBeLessThanOrEqual(4096);
  });

  it('wants DNSSEC records and believes the AD flag of a resolver that was asked for it', async () => {
    const resolver = await start((query, send) => {
      const wants = (query.additionals ?? []).some((one) => one.type === 'OPT' && (one as packet.OptAnswer).flag_do);
      send(
        respond(
          query,
          [{ type: 'A', name: query.questions?.[0]?.name, ttl: 9, data: '192.0.2.7' }],
          wants ? packet.AUTHENTIC_DATA : 0,
        ),
      );
    });
    expect(await run('signed.example', { resolver, dnssec: true, assertions: { authenticated: true } })).toMatchObject({
      success: true,
    });
    expect(await run('signed.example', { resolver, assertions: { authenticated: true } })).toMatchObject({ fault: 'assertion' });
  });
});

describe('a resolver that means no good', () => {
  it('answers with another id or another question: none of it is believed', async () => {
    const otherId = await start((query, send) => send(answerA({ ...query, id: (query.id ?? 0) ^ 1 }, ['192.0.2.7'])));
    expect(await run('shop.example', { resolver: otherId }, { seconds: 1 })).toMatchObject({
      fault: 'protocol',
      error: expect.stringContaining('another id'),
    });
    const otherName = await start((query, send) =>
      send(answerA({ ...query, questions: [{ type: 'A', name: 'evil.example' }] }, ['192.0.2.7'])),
    );
    const measured = await run('shop.example', { resolver: otherName }, { seconds: 1 });
    expect(measured).toMatchObject({ fault: 'protocol', error: expect.stringContaining('another question') });
    const first = await start((query, send) => {
      send(answerA({ ...query, id: (query.id ?? 0) ^ 1 }, ['203.0.113.6']));
      send(answerA(query, ['192.0.2.7']));
    });
    expect(await run('shop.example', { resolver: first, assertions: { answers_equal: ['192.0.2.7'] } })).toMatchObject({
      success: true,
    });
  });

  it('sends what cannot be read, loops in its names, or floods', async () => {
    const garbage = await start((query, send) =>
      send(
        Buffer.concat([
          Buffer.from([(query.id ?? 0) >> 8, (query.id ?? 0) & 255, 0x81, 0x80, 0, 1, 0xff, 0xff]),
          Buffer.alloc(60, 0xc0),
        ]),
      ),
    );
    expect(await run('shop.example', { resolver: garbage }, { seconds: 1 })).toMatchObject({ fault: 'protocol' });
    const flood = await start((query, send) => {
      for (let i = 0; i < 5000; i++) send(answerA({ ...query, id: (query.id ?? 0) ^ 1 }, ['192.0.2.7']));
    });
    const measured = await run('shop.example', { resolver: flood }, { seconds: 2 });
    expect(measured).toMatchObject({ fault: 'protocol' });
  });

  it('is silent, or is not there', async () => {
    let asked = 0;
    const silent = await start(() => {
      asked += 1;
    });
    expect(await run('shop.example', { resolver: silent }, { seconds: 2 })).toMatchObject({ fault: 'no_answer' });
    expect(asked).toBe(2);
    const gone = await startNameServer(() => undefined);
    await gone.close();
    expect(await run('shop.example', { resolver: gone.address })).toMatchObject({ fault: 'port_unreachable' });
  });

  it('may not be anywhere, while the own ones may, and the next of them is asked where one is silent', async () => {
    const guard = createTargetGuard({});
    const resolver = await start((query, send) => send(answerA(query, ['192.0.2.7'])));
    const silent = await start(() => undefined);
    expect(await run('shop.example', { resolver }, { tools: { guard } })).toMatchObject({ fault: 'target_refused' });
    expect(await run('shop.example', {}, { tools: { guard, resolvers: [silent, resolver] } })).toMatchObject({ success: true });
  });
});
