import type https from 'node:https';
import type net from 'node:net';
import { Measured } from '@svc/contracts/tests/run-report';
import type { TestSpecInput } from '@svc/contracts/tests/test';
import { createCertificates, createChain, createSelfSigned } from '@svc/testkit/netlab/certificates';
import { afterAll, describe, expect, it } from 'vitest';
import { runTest } from '../run-test.ts';
import { createServers, spec, toolsWith } from '../testing/servers.ts';

const DAY_MS = 86_400_000;
const NAMES = { dns: ['localhost', 'shop.example', '*.wild.example'], ip: ['127.0.0.1'] };
const servers = createServers();
afterAll(() => servers.close());

type Params = Extract<TestSpecInput, { type: 'https' }>['params'];
const run = async (target: string, params: Params = {}, tools = {}) =>
  Measured.parse(await runTest(spec({ type: 'https', target, params, timeout_seconds: 5 }), toolsWith(tools)));

let asked = 0;
const serve = (options: https.ServerOptions): Promise<string> =>
  servers.https(options, (_request, response) => {
    asked += 1;
    response.end('hello');
  });

describe('a test over https', () => {
  it('tells the certificate and every phase', async () => {
    const made = await createChain(NAMES);
    const url = await serve({ cert: made.cert + made.intermediate, key: made.key });
    const measured = await run(url, { tls: { ca_pem: made.ca }, assertions: { certificate_days: 5 } });
    expect(measured).toMatchObject({
      success: true,
      certificate: {
        subject: 'CN=svc network lab server',
        issuer: 'CN=svc network lab department',
        names: ['localhost', 'shop.example', '*.wild.example', '127.0.0.1'],
        key: 'P-256',
        protocol: 'TLSv1.3',
        chain_length: 2,
        trusted: true,
        name_matches: true,
      },
      figures: { 'certificate.days': 6 },
    });
    expect(measured.certificate?.chain_bytes).toBeGreaterThan(500);
    expect(measured.certificate).not.toHaveProperty('fault');
    expect(Object.keys(measured.phases)).toEqual(['connect', 'tls', 'first_byte', 'transfer']);
  });

  it('fails where the certificate ends too soon, and where it has no days left', async () => {
    const made = await createCertificates({ ...NAMES, validTo: new Date(Date.now() + 2.5 * DAY_MS) });
    const url = await serve({ cert: made.cert, key: made.key });
    const measured = await run(url, { tls: { ca_pem: made.ca }, assertions: { certificate_days: 7 } });
    expect(measured).toMatchObject({
      fault: 'assertion',
      error: 'wanted certificate valid for 7 days or more, got 2 days',
    });
    const later = await run(url, { tls: { ca_pem: made.ca } }, { now: () => Date.now() + DAY_MS });
    expect(later.figures['certificate.days']).toBe(1);
  });

  it('asks for another server name, and checks that one', async () => {
    const made = await createCertificates({ dns: ['shop.example'], ip: [] });
    let indicated: string | false | undefined;
    const url = await serve({
      cert: made.cert,
      key: made.key,
      SNICallback: (name, done) => {
        indicated = name;
        done(null);
      },
    });
    const params = { tls: { ca_pem: made.ca, server_name: 'shop.example' } };
    expect(await run(url, params)).toMatchObject({ success: true, certificate: { name_matches: true } });
    expect(indicated).toBe('shop.example');
  });
});

describe('a certificate that does not hold', () => {
  const faults: [string, () => Promise<{ cert: string; key: string; ca?: string }>, RegExp, object][] = [
    [
      'expired',
      () =>
        createCertificates({
          ...NAMES,
          validFrom: new Date(Date.now() - 9 * DAY_MS),
          validTo: new Date(Date.now() - 2 * DAY_MS),
        }),
      /it expired on 20\d\d-/,
      { trusted: false, name_matches: true },
    ],
    [
      'not yet valid',
      () => createCertificates({ ...NAMES, validFrom: new Date(Date.now() + DAY_MS) }),
      /not valid before/,
      { trusted: false },
    ],
    ['self-signed', () => createSelfSigned(NAMES), /it is self-signed/, { trusted: false, chain_length: 1 }],
    [
      'for another name',
      () => createCertificates({ dns: ['other.example'], ip: [] }),
      /for another name than 127\.0\.0\.1/,
      { trusted: true, name_matches: false },
    ],
    [
      'incomplete',
      () => createChain(NAMES),
      /chain is incomplete.*sends no certificate of an intermediate/,
      { trusted: false, chain_length: 1 },
    ],
    [
      'of a stranger',
      async () => ({ ...(await createCertificates(NAMES)), ca: '' }),
      /authority is not known/,
      { trusted: false },
    ],
  ];
  it.each(faults)('is told: %s', async (...[, make, words, facts]) => {
    const made = await make();
    const url = await serve({ cert: made.cert, key: made.key });
    asked = 0;
    const ca = made.ca ? { ca_pem: made.ca } : {};
    const measured = await run(url, { tls: ca });
    expect(measured).toMatchObject({
      success: false,
      fault: 'certificate',
      error: expect.stringMatching(words),
      certificate: facts,
    });
    expect(asked).toBe(0);
    expect(measured.phases.tls).toBeGreaterThan(0);
    const accepted = await run(url, { tls: { ...ca, accept_invalid: true } });
    expect(accepted).toMatchObject({ success: true, certificate: { fault: expect.stringMatching(words) } });
  });
});

describe('a client certificate', () => {
  it('is shown to the host that its secret is for', async () => {
    const made = await createCertificates(NAMES);
    const client = await createCertificates({ dns: ['runner'], ip: [] });
    const url = await serve({ cert: made.cert, key: made.key, ca: client.ca, requestCert: true, rejectUnauthorized: true });
    const tls = { ca_pem: made.ca, client_certificate: 'mine' };
    const resolveSecret = (name: string, host: string): string => {
      expect([name, host]).toEqual(['mine', '127.0.0.1']);
      return client.cert + client.key;
    };
    expect(await run(url, { tls }, { resolveSecret })).toMatchObject({ success: true });
    const without = await run(url, { tls: { ca_pem: made.ca } });
    expect(without).toMatchObject({ fault: 'tls', error: expect.stringContaining('client certificate') });
    const broken = await run(url, { tls }, { resolveSecret: () => 'no PEM at all' });
    expect(broken).toMatchObject({ fault: 'secret', error: expect.stringContaining('no PEM') });
    expect(await run(url, { tls })).toMatchObject({ fault: 'secret', error: 'There is no secret mine.' });
  });
});

describe('a handshake that fails', () => {
  it('says that nothing there speaks TLS, that it was closed, or that no version fits', async () => {
    const plain = await servers.raw((socket) => socket.once('data', () => socket.end('220 mail.example ESMTP\r\n')));
    expect(await run(`https://127.0.0.1:${plain}/`)).toMatchObject({
      fault: 'tls',
      error: expect.stringContaining('speaks no TLS'),
    });
    const closing = await servers.raw((socket) => socket.once('data', () => socket.end()));
    expect(await run(`https://127.0.0.1:${closing}/`)).toMatchObject({ fault: 'closed' });
    const made = await createCertificates(NAMES);
    const old = await serve({
      cert: made.cert,
      key: made.key,
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    expect(await run(old)).toMatchObject({ fault: 'tls', error: expect.stringMatching(/TLS/) });
  });

  it('is told with its time where it stalls', async () => {
    const silent = await servers.raw((socket: net.Socket) => socket.resume());
    const measured = Measured.parse(
      await runTest(spec({ type: 'https', target: `https://127.0.0.1:${silent}/`, timeout_seconds: 1 }), toolsWith()),
    );
    expect(measured).toMatchObject({ fault: 'timeout', error: 'The TLS handshake was not done within 1 s.' });
    expect(measured.phases.tls).toBeGreaterThan(900);
    expect(measured.total_ms).toBeLessThan(1500);
  });
});
