import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRootCa, createServerLeaf, spkiPin } from '#crypto';
import { type DataDir, openDataDir } from './data-dir.ts';
import { ensureLocalTls, findOwnHosts, makeCertificate, openServerTls, readTlsFiles } from './local-tls.ts';

const DAY_MS = 86_400_000;
let parent: string;
let dataDir: DataDir;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'svc-tls-'));
  dataDir = openDataDir(join(parent, 'data'));
});
afterEach(() => {
  dataDir.release();
  rmSync(parent, { recursive: true, force: true });
});

test('the first start makes an authority and a leaf for this host, and later starts keep both', async () => {
  const first = await ensureLocalTls(dataDir, { hosts: [] });
  const leaf = new X509Certificate(first.cert);
  for (const host of findOwnHosts()) expect(isIP(host) ? leaf.checkIP(host) : leaf.checkHost(host), host).toBeDefined();
  expect(first.pin).toBe(spkiPin(first.ca ?? ''));
  expect(statSync(dataDir.join('tls', 'server.key')).mode & 0o777).toBe(0o600);
  expect(await ensureLocalTls(dataDir, { hosts: [] })).toEqual(first);
});

test('TLS with it verifies against the authority, which the listener presents behind the leaf', async () => {
  const tls = await ensureLocalTls(dataDir, { hosts: ['localhost', '127.0.0.1'] });
  const server = createServer({ key: tls.key, cert: tls.cert }, (socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const pin = await new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ca: tls.ca }, () => {
      const issuer = socket.getPeerX509Certificate()?.issuerCertificate;
      resolve(issuer && spkiPin(issuer.toString()));
      socket.end();
    });
    socket.on('error', reject);
  });
  server.close();
  expect(pin).toBe(tls.pin);
});

test('a new host or the last month of a leaf brings a new leaf below the same authority', async () => {
  const first = await ensureLocalTls(dataDir, { hosts: ['localhost'] });
  const second = await ensureLocalTls(dataDir, { hosts: ['localhost', 'svc.example'] });
  expect(new X509Certificate(second.cert).checkHost('svc.example')).toBe('svc.example');
  const later = { now: () => Date.now() + 370 * DAY_MS };
  const third = await ensureLocalTls(dataDir, { hosts: ['localhost'], clock: later });
  expect(third.notAfterMs).toBeGreaterThan(second.notAfterMs);
  expect([second.pin, third.pin]).toEqual([first.pin, first.pin]);
  const made = await makeCertificate(dataDir, ['10.1.2.3', 'fd00::1']);
  expect(made).toMatchObject({ hosts: ['10.1.2.3', 'fd00::1'], pin: first.pin, certFile: dataDir.join('tls', 'server.crt') });
});

test('a damaged or missing part is made anew', async () => {
  const first = await ensureLocalTls(dataDir, { hosts: ['localhost'] });
  rmSync(dataDir.join('tls', 'server.key'));
  const second = await ensureLocalTls(dataDir, { hosts: ['localhost'] });
  expect([second.pin, second.key === first.key]).toEqual([first.pin, false]);
  writeFileSync(dataDir.join('tls', 'server.crt'), 'nonsense');
  expect((await ensureLocalTls(dataDir, { hosts: ['localhost'] })).pin).toBe(first.pin);
});

test('given files are used as they are, and refused by name when they cannot be', async () => {
  const ca = await createRootCa({ commonName: 'corporate' });
  const good = await createServerLeaf(ca, { hosts: ['svc.example'] });
  const old = await createServerLeaf(ca, { hosts: ['svc.example'], days: 1, clock: { now: () => Date.now() - 3 * DAY_MS } });
  const file = (name: string, content: string) => {
    writeFileSync(join(parent, name), content);
    return join(parent, name);
  };
  const certFile = file('a.crt', good.certPem);
  const keyFile = file('a.key', good.keyPem);
  const tls = await openServerTls({ certFile, keyFile, hosts: [] }, dataDir);
  expect(tls).toMatchObject({ key: good.keyPem, cert: good.certPem, ca: undefined, pin: undefined });
  const faultOf = (cert: string, key: string): string => {
    try {
      readTlsFiles(cert, key);
      return '';
    } catch (error) {
      return JSON.stringify(Reflect.get(Object(error), 'faults'));
    }
  };
  expect(faultOf(certFile, file('b.key', old.keyPem))).toContain('does not belong to the key');
  expect(faultOf(file('c.crt', old.certPem), file('c.key', old.keyPem))).toContain('ended on');
  expect(faultOf(file('d.crt', 'x'), keyFile)).toContain('PEM');
});
