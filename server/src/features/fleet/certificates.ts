import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { AppError } from '#kernel';

type CryptoKey = webcrypto.CryptoKey;
type CryptoKeyPair = webcrypto.CryptoKeyPair;

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
/** A device's clock may be behind ours by this much. */
const BACKDATE_MS = 5 * 60_000;

/** A certificate with its private key, both PEM. */
export interface KeyedCertificate {
  certPem: string;
  keyPem: string;
}

/** An issuer ready to sign. */
export interface Issuer {
  cert: x509.X509Certificate;
  key: CryptoKey;
}

const makeKeys = async (): Promise<CryptoKeyPair> =>
  (await webcrypto.subtle.generateKey(P256, true, ['sign', 'verify'])) as CryptoKeyPair;

const keyToPem = async (key: CryptoKey): Promise<string> =>
  x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');

/** Positive and without a leading zero byte, as RFC 5280 wants serial numbers. */
function makeSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString('hex');
}

const validity = (nowMs: number, days: number) => ({
  notBefore: new Date(nowMs - BACKDATE_MS),
  notAfter: new Date(nowMs + days * DAY_MS),
});

/** An issuer out of what `makeRoot` and `makeIntermediate` gave. */
export async function readIssuer({ certPem, keyPem }: KeyedCertificate): Promise<Issuer> {
  const der = x509.PemConverter.decodeFirst(keyPem);
  const key = (await webcrypto.subtle.importKey('pkcs8', der, P256, false, ['sign'])) as CryptoKey;
  return { cert: new x509.X509Certificate(certPem), key };
}

/** The root of all agents' certificates: ten years, signs intermediates only. */
export async function makeRoot(nowMs: number): Promise<KeyedCertificate> {
  const keys = await makeKeys();
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: makeSerial(),
    name: 'CN=svc agent root',
    ...validity(nowMs, 3650),
    keys,
    signingAlgorithm: P256,
    extensions: [
      new x509.BasicConstraintsExtension(true, 1, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certPem: cert.toString('pem'), keyPem: await keyToPem(keys.privateKey) };
}

/** A tenant's intermediate: one year, signs leaves only, named by the tenant's URI. */
export async function makeIntermediate(
  root: Issuer,
  uri: string,
  nowMs: number,
): Promise<KeyedCertificate & { notAfterMs: number }> {
  const keys = await makeKeys();
  const period = validity(nowMs, 365);
  const cert = await x509.X509CertificateGenerator.create({
    serialNumber: makeSerial(),
    subject: `CN=svc agents ${makeSerial().slice(0, 8)}`,
    issuer: root.cert.subject,
    ...period,
    signingKey: root.key,
    publicKey: keys.publicKey,
    signingAlgorithm: P256,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      new x509.SubjectAlternativeNameExtension([{ type: 'url', value: uri }]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(root.cert.publicKey),
    ],
  });
  return { certPem: cert.toString('pem'), keyPem: await keyToPem(keys.privateKey), notAfterMs: period.notAfter.getTime() };
}

/** What a leaf says: the identity we set, for the key that the agent proved to hold. */
export interface LeafRequest {
  uri: string;
  /** SubjectPublicKeyInfo, DER. */
  publicKey: Uint8Array;
  nowMs: number;
  notAfterMs: number;
}

/** An agent's leaf, PEM. Nothing of the request but its key goes into it. */
export async function signLeaf(issuer: Issuer, request: LeafRequest): Promise<string> {
  const publicKey = new x509.PublicKey(request.publicKey as Uint8Array<ArrayBuffer>);
  const cert = await x509.X509CertificateGenerator.create({
    serialNumber: makeSerial(),
    subject: 'CN=svc agent',
    issuer: issuer.cert.subject,
    notBefore: new Date(request.nowMs - BACKDATE_MS),
    notAfter: new Date(request.notAfterMs),
    signingKey: issuer.key,
    publicKey,
    signingAlgorithm: P256,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
      new x509.SubjectAlternativeNameExtension([{ type: 'url', value: request.uri }], true),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.cert.publicKey),
    ],
  });
  return cert.toString('pem');
}

/** The key of a signing request as SubjectPublicKeyInfo, DER; `validation` unless it is P-256 and signed by itself. */
export async function readCsrKey(pem: string): Promise<Buffer> {
  const refuse = (why: string, cause?: unknown) => {
    const faults = [{ path: 'csr', message: why }];
    return new AppError('validation', `The certificate request is refused: ${why}.`, { faults, cause });
  };
  let csr: x509.Pkcs10CertificateRequest;
  try {
    csr = new x509.Pkcs10CertificateRequest(pem);
  } catch (error) {
    throw refuse('not a PKCS #10 request in PEM', error);
  }
  const algorithm = csr.publicKey.algorithm as { name: string; namedCurve?: string };
  if (algorithm.name !== 'ECDSA' || algorithm.namedCurve !== 'P-256') throw refuse('the key must be P-256');
  const proven = await csr.verify().catch(() => false);
  if (!proven) throw refuse('it is not signed by its own key');
  return Buffer.from(csr.publicKey.rawData);
}
