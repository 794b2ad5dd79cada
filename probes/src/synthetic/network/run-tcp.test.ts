import type net from 'node:net';
import tls from 'node:tls';
import { Measured } from '@svc/contracts/tests/run-report';
import type { TestSpecInput } from '@svc/contracts/tests/test';
import { createCertificates, type LabCertificates } from '@svc/testkit/netlab/certificates';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runTest } from '../run-test.ts';
import { createServers, spec, toolsWith } from '../testing/servers.ts';

const servers = createServers();
let made: LabCertificates;
beforeAll(async () => {
  made = await createCertificates({ dns: ['localhost'], ip: ['127.0.0.1'] });
});
afterAll(() => servers.close());

type Params = Extract<TestSpecInput, { type: 'tcp' }>['params'];
const run = async (port: number, params: Params = {}, { seconds = 3, tools = {} } = {}) =>
  Measured.parse(
    await runTest(spec({ type: 'tcp', target: `127.0.0.1:${port}`, params, timeout_seconds: seconds }), toolsWith(tools)),
  );

describe('a test of tcp', () => {
  it('connects, and is told where nobody listens or nothing answers', async () => {
    const port = await servers.raw(() => undefined);
    const measured = await run(port);
    expect(measured).toMatchObject({ success: true, port, address: '127.0.0.1', assertions: [] });
    expect(Object.keys(measured.phases)).toEqual(['connect']);
    const gone = createServers();
    const closed = await gone.raw(() => undefined);
    await gone.close();
    expect(await run(closed)).toMatchObject({ fault: 'refused', error: expect.stringContaining(`127.0.0.1:${closed} refuses`) });
  });

  it('sends and expects, with escapes, in pieces and by expression', async () => {
    const port = await servers.raw((socket) => {
      socket.write('220 mail');
      setTimeout(() => socket.write('.example ready\r\n'), 30);
    });
    expect(await run(port, { assertions: { expect_contains: 'ready', expect_matches: '^220 [a-z.]+ ready' } })).toMatchObject({
      success: true,
      evidence: { body_excerpt: '220 mail.example ready\r\n' },
      assertions: [{ got: 'it is there' }, { got: 'a match' }],
    });
    const echo = await servers.raw((socket) => socket.on('data', (bytes) => socket.write(`<${bytes.toString('hex')}>`)));
    const sent = await run(echo, {
      send: 'PI\\x4eG\\r\\n\\\\ü',
      assertions: { expect_contains: '<50494e470d0a5cc3bc>', total_ms: 2000 },
    });
    expect(sent).toMatchObject({ success: true });
    expect(Object.keys(sent.phases)).toEqual(['connect', 'first_byte', 'transfer']);
  });

  it('fails on another answer, an early end, silence and a flood', async () => {
    const other = await servers.raw((socket) => socket.end('554 go away\r\n'));
    expect(await run(other, { assertions: { expect_contains: '220' } })).toMatchObject({
      fault: 'assertion',
      error: expect.stringContaining('554 go away'),
    });
    const silent = await servers.raw((socket) => socket.resume());
    expect(await run(silent, { assertions: { expect_contains: 'x' } }, { seconds: 1 })).toMatchObject({ fault: 'timeout' });
    const partly = await servers.raw((socket) => void socket.write('hello'));
    const measured = await run(partly, { assertions: { expect_contains: 'world' } }, { seconds: 1 });
    expect(measured).toMatchObject({ fault: 'timeout', evidence: { body_excerpt: 'hello' } });
    const flood = await servers.raw((socket) => {
      const chunk = Buffer.alloc(65_536, 'z');
      const more = (): void => {
        while (!socket.destroyed && socket.write(chunk));
        if (!socket.destroyed) socket.once('drain', more);
      };
      more();
    });
    expect(await run(flood, { assertions: { expect_contains: 'x' } })).toMatchObject({ fault: 'too_large' });
    const reset = await servers.raw((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await run(reset, { send: 'x', assertions: { expect_contains: 'x' } })).toMatchObject({ fault: 'reset' });
  });

  it('takes little of the processor where a target dribbles and an expression is hard', async () => {
    const drip = await servers.raw((socket) => {
      const timer = setInterval(() => socket.write('xy'.repeat(400)), 5);
      socket.once('close', () => clearInterval(timer));
    });
    const before = process.cpuUsage();
    await run(drip, { assertions: { expect_matches: '(?:x[xy]{90}|y[xy]{91}|[xy]x[xy]{92})+\\d' } }, { seconds: 2 });
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(1.5);
  });

  it('puts a secret in, and nothing that comes back has it', async () => {
    const echo = await servers.raw((socket) => socket.on('data', (bytes) => socket.write(`you said ${bytes}!`)));
    const tools = { resolveSecret: () => 'pa\\r55word' };
    const measured = await run(
      echo,
      { send: `AUTH $\{secret:door}\\r\\n`, assertions: { expect_contains: 'you said' } },
      { tools },
    );
    expect(measured).toMatchObject({ success: true, evidence: { body_excerpt: 'you said AUTH [secret door]\r\n!' } });
  });

  it('says nothing of a secret that comes back in two pieces, nor of one that comes by half', async () => {
    const tools = { resolveSecret: () => 'sesame-4711' };
    const wish = { send: `AUTH $\{secret:door}`, assertions: { expect_contains: 'sesame' } };
    const pieces = await servers.raw((socket) =>
      socket.once('data', () => {
        socket.write('you said sesame-');
        setTimeout(() => socket.write('4711 and more'), 60);
      }),
    );
    const half = await servers.raw((socket) => socket.once('data', () => socket.write(`${'.'.repeat(60)} you said sesa`)));
    for (const [port, shown] of [
      [pieces, ''],
      [half, '.....'],
    ] as const) {
      const measured = await run(port, wish, { seconds: 1, tools });
      expect(measured).toMatchObject({ success: false, fault: 'timeout' });
      expect(measured.evidence?.body_excerpt ?? '').toContain(shown);
      expect(JSON.stringify(measured.evidence ?? '')).not.toMatch(/sesa/);
    }
  });

  it('sends no secret in HTTP that is written by hand: who reads it is not known there', async () => {
    let seen = '';
    const port = await servers.raw((socket) =>
      socket.on('data', (bytes) => {
        seen += bytes.toString();
      }),
    );
    const tools = { resolveSecret: () => 'sesame-4711' };
    for (const begin of ['GET / HTTP/1.1\\r\\nHost: other.example', 'GET / \\x48TTP/1.0', 'PRI * HTTP/2.0'])
      expect(await run(port, { send: `${begin}\\r\\nX: $\{secret:door}\\r\\n\\r\\n` }, { tools })).toMatchObject({
        fault: 'secret',
      });
    expect(seen).toBe('');
    expect(await run(port, { send: 'GET / HTTP/1.1\\r\\n\\r\\n' }, { tools })).toMatchObject({ success: true });
  });
});

/** Speaks the lines, then TLS. */
function speak(greeting: string, replies: readonly (string | Buffer)[], extra = '') {
  return (socket: net.Socket): void => {
    if (greeting) socket.write(greeting);
    let at = 0;
    socket.on('data', function onData() {
      const reply = replies[at] ?? '';
      at += 1;
      if (at < replies.length) return void socket.write(reply);
      socket.removeListener('data', onData);
      socket.write(Buffer.concat([Buffer.from(reply), Buffer.from(extra)]));
      const secured = new tls.TLSSocket(socket, { isServer: true, cert: made.cert, key: made.key });
      secured.on('error', () => undefined);
      secured.write('now encrypted');
    });
  };
}
const LDAP_OK = Buffer.from('300c02010178070a010004000400', 'hex');
const LDAP_NO = Buffer.from('300c02010178070a013404000400', 'hex');

describe('TLS and STARTTLS', () => {
  it.each([
    ['smtp', '220-mail.example\r\n220 ready\r\n', ['250-mail.example\r\n250-SIZE 9\r\n250 STARTTLS\r\n', '220 go ahead\r\n']],
    ['imap', '* OK [CAPABILITY IMAP4rev1] ready\r\n', ['* CAPABILITY IMAP4rev1\r\na1 OK begin\r\n']],
    ['pop3', '+OK ready\r\n', ['+OK begin\r\n']],
    ['ftp', '220-Welcome\r\n  to us\r\n220 ready\r\n', ['234 AUTH TLS\r\n']],
    ['ldap', '', [LDAP_OK]],
    ['postgres', '', ['S']],
  ] as const)('begins as %s has it', async (security, greeting, replies) => {
    const port = await servers.raw(speak(greeting, replies));
    const params = { security, tls: { ca_pem: made.ca }, assertions: { expect_contains: 'now encrypted', certificate_days: 1 } };
    const measured = await run(port, params);
    expect(measured).toMatchObject({ success: true, certificate: { trusted: true, protocol: 'TLSv1.3' } });
    expect(measured.phases.tls).toBeGreaterThan(0);
  });

  it('begins at once', async () => {
    const port = await servers.listen(tls.createServer({ cert: made.cert, key: made.key }, (socket) => socket.end('hello')));
    const measured = await run(port, { security: 'tls', tls: { ca_pem: made.ca }, assertions: { expect_contains: 'hello' } });
    expect(measured).toMatchObject({ success: true, certificate: { name_matches: true } });
    expect(await run(port, { security: 'tls' })).toMatchObject({ fault: 'certificate' });
    expect(await run(port, { security: 'tls', tls: { accept_invalid: true } })).toMatchObject({
      success: true,
      certificate: { trusted: false },
    });
  });

  it('says that a server does not offer it, refuses it, or slips something in', async () => {
    const without = await servers.raw(speak('220 x\r\n', ['250-x\r\n250 SIZE 9\r\n', '']));
    expect(await run(without, { security: 'smtp' })).toMatchObject({
      fault: 'protocol',
      error: 'The server does not offer STARTTLS.',
    });
    const refusing = await servers.raw(speak('', [LDAP_NO, '']));
    expect(await run(refusing, { security: 'ldap' })).toMatchObject({
      fault: 'protocol',
      error: expect.stringContaining('result code 52'),
    });
    const none = await servers.raw(speak('', ['N', '']));
    expect(await run(none, { security: 'postgres' })).toMatchObject({
      fault: 'protocol',
      error: expect.stringContaining('it has none'),
    });
    const slipping = await servers.raw(speak('+OK\r\n', ['+OK begin\r\n'], '+OK as if it were encrypted\r\n'));
    expect(await run(slipping, { security: 'pop3', tls: { ca_pem: made.ca } })).toMatchObject({
      fault: 'protocol',
      error: expect.stringContaining('as attackers do'),
    });
  });

  it('gives up on a greeting without end, without a line, or without a word', async () => {
    const long = await servers.raw((socket) => void socket.write('x'.repeat(40_000)));
    expect(await run(long, { security: 'smtp' })).toMatchObject({ fault: 'too_large' });
    const silent = await servers.raw((socket) => socket.resume());
    expect(await run(silent, { security: 'imap' }, { seconds: 1 })).toMatchObject({
      fault: 'timeout',
      error: expect.stringContaining('TLS'),
    });
    const closing = await servers.raw((socket) => socket.end());
    expect(await run(closing, { security: 'ftp' })).toMatchObject({ fault: 'closed' });
  });
});
