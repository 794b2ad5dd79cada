import { createPrivateKey, generateKeyPairSync, sign, webcrypto, X509Certificate } from 'node:crypto';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { beforeAll, expect, test } from 'vitest';
import {
  type AgentLeaf,
  isIssuedBy,
  readAgentCertificate,
  readCsr,
  signAgentCsr,
  verifyAgentSignature,
} from './agent-certificates.ts';
import { createIntermediate, createRootCa, createServerLeaf, spkiPin } from './certificates.ts';
import { ALGORITHM, type KeyPair, keyToPem, loadX509, newKeys } from './x509.ts';

const trustDomain = 'svc.test';
const agentId = '01939f2a-7c11-7000-8000-0000000000a1';

async function makeCsr(claimedName?: string): Promise<{ csrPem: string; keyPem: string }> {
  const x509 = await loadX509();
  const keys = await newKeys();
  const extensions = claimedName ? [new x509.SubjectAlternativeNameExtension([{ type: 'url', value: claimedName }])] : [];
  const csr = await x509.Pkcs10CertificateRequestGenerator.create({
    name: 'CN=evil',
    keys,
    signingAlgorithm: ALGORITHM,
    extensions,
  });
  return { csrPem: csr.toString('pem'), keyPem: await keyToPem(keys.privateKey) };
}

let root: KeyPair;
let tenantA: KeyPair;
let tenantB: KeyPair;
let serverCa: KeyPair;
let csr: { csrPem: string; keyPem: string };
let leaf: AgentLeaf;
const der = (pem: string): Buffer => new X509Certificate(pem).raw;

beforeAll(async () => {
  root = await createRootCa({ commonName: 'svc agents' });
  tenantA = await createIntermediate(root, { trustDomain, tenant: 'a' });
  tenantB = await createIntermediate(root, { trustDomain, tenant: 'b' });
  serverCa = await createRootCa({ commonName: 'svc local' });
  csr = await makeCsr(`spiffe://${trustDomain}/tenant/b/agent/${agentId}`);
  leaf = await signAgentCsr(tenantA, csr.csrPem, { trustDomain, tenant: 'a', agentId });
});

test('a leaf names the agent we say and nothing the request claimed', () => {
  const certificate = new X509Certificate(leaf.certPem);
  expect(certificate.subjectAltName).toBe(`URI:spiffe://${trustDomain}/tenant/a/agent/${agentId}`);
  expect(certificate.subject).toBe(`CN=${agentId}`);
  const hours = (certificate.validToDate.getTime() - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(23.9);
  expect(hours).toBeLessThanOrEqual(24);
  expect(readAgentCertificate(certificate.raw, trustDomain)).toMatchObject({
    tenant: 'a',
    agentId,
    fingerprint: leaf.fingerprint,
  });
});

test('the name of tenant B signed by tenant A is refused', async () => {
  const forged = await signAgentCsr(tenantA, csr.csrPem, { trustDomain, tenant: 'b', agentId });
  expect(() => readAgentCertificate(der(forged.certPem), trustDomain)).toThrow(/another tenant issued it/);
  expect(isIssuedBy(der(forged.certPem), tenantB.certPem)).toBe(false);
  expect(isIssuedBy(der(leaf.certPem), tenantA.certPem)).toBe(true);
});

test('certificates that name no agent are refused', async () => {
  const server = await createServerLeaf(serverCa, { hosts: ['localhost'] });
  for (const pem of [server.certPem, root.certPem, tenantA.certPem])
    expect(() => readAgentCertificate(der(pem), trustDomain)).toThrow(/names no agent/);
  expect(() => readAgentCertificate(der(leaf.certPem), 'other.domain')).toThrow(/names no agent/);
  expect(() => readAgentCertificate(Buffer.from('nonsense'), trustDomain)).toThrow(/cannot be read/);
});

test('a request with a broken signature, another kind of key or no sense is refused', async () => {
  const x509 = await loadX509();
  const bytes = Buffer.from(new x509.Pkcs10CertificateRequest(csr.csrPem).rawData);
  bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
  const broken = `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString('base64')}\n-----END CERTIFICATE REQUEST-----`;
  await expect(readCsr(broken)).rejects.toThrow(/signature is wrong/);
  await expect(readCsr('')).rejects.toThrow(/cannot be read/);
  await expect(readCsr('x'.repeat(10_000))).rejects.toThrow(/too large/);
  const p384 = { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' };
  const keys = (await webcrypto.subtle.generateKey(p384, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const other = await x509.Pkcs10CertificateRequestGenerator.create({ name: 'CN=x', keys, signingAlgorithm: p384 });
  await expect(readCsr(other.toString('pem'))).rejects.toThrow(/P-256/);
});

test('renewal verifies a P1363 signature of the enrolled key', () => {
  const payload = 'svc-renew-v1\na\nid';
  const signature = sign('sha256', Buffer.from(payload), { key: createPrivateKey(csr.keyPem), dsaEncoding: 'ieee-p1363' });
  expect(verifyAgentSignature(leaf.spki, payload, signature)).toBe(true);
  expect(verifyAgentSignature(leaf.spki, `${payload}x`, signature)).toBe(false);
  expect(verifyAgentSignature(leaf.spki, payload, signature.subarray(1))).toBe(false);
  expect(verifyAgentSignature(Buffer.from('x'), payload, signature)).toBe(false);
  const stranger = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const foreign = sign('sha256', Buffer.from(payload), { key: stranger.privateKey, dsaEncoding: 'ieee-p1363' });
  expect(verifyAgentSignature(leaf.spki, payload, foreign)).toBe(false);
});

test('the pin is the SHA-256 of the public key and tells keys apart', () => {
  expect(spkiPin(serverCa.certPem)).toMatch(/^[\w-]{43}$/);
  expect(spkiPin(serverCa.certPem)).not.toBe(spkiPin(root.certPem));
});

test('a lifetime never reaches beyond the issuer', async () => {
  const clock = { now: () => Date.now() - 86_400_000 };
  const shortRoot = await createRootCa({ commonName: 'short', days: 2, clock });
  const below = await createServerLeaf(shortRoot, { hosts: ['localhost'] });
  expect(new X509Certificate(below.certPem).validTo).toBe(new X509Certificate(shortRoot.certPem).validTo);
});

test('mutual TLS holds: names and addresses verify, and an agent of another root does not get in', async () => {
  const pair = await createServerLeaf(serverCa, { hosts: ['localhost', '127.0.0.1', '::1'] });
  const seen: (string | undefined)[] = [];
  const server = createServer(
    { key: pair.keyPem, cert: pair.certPem, ca: root.certPem, requestCert: true, rejectUnauthorized: true },
    (socket: TLSSocket) => {
      seen.push(socket.getPeerX509Certificate()?.subjectAltName);
      socket.end('ok');
    },
  );
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const dial = async (cert: string, key: string) =>
    await new Promise<string>((resolve) => {
      const socket = connect({ host: '127.0.0.1', port, ca: serverCa.certPem, cert, key });
      socket.on('data', (data) => resolve(data.toString()));
      socket.on('error', (error) => resolve(String(Reflect.get(error, 'code'))));
      socket.on('close', () => resolve('closed'));
    });
  expect(await dial(leaf.certPem + tenantA.certPem, csr.keyPem)).toBe('ok');
  const strangers = await createRootCa({ commonName: 'svc agents' });
  const theirs = await createIntermediate(strangers, { trustDomain, tenant: 'a' });
  const stranger = await signAgentCsr(theirs, csr.csrPem, { trustDomain, tenant: 'a', agentId });
  expect(await dial(stranger.certPem + theirs.certPem, csr.keyPem)).not.toBe('ok');
  server.close();
  expect(seen).toEqual([`URI:spiffe://${trustDomain}/tenant/a/agent/${agentId}`]);
});
