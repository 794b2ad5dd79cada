import { createPrivateKey, X509Certificate as NodeCertificate, randomBytes, webcrypto } from 'node:crypto';
import type { Extension, PublicKey } from '@peculiar/x509';

/** P-256 everywhere: it works under FIPS and in every TLS stack. */
export const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

type X509 = typeof import('@peculiar/x509');
let loading: Promise<X509> | undefined;

/** Loaded on first use, since most processes and command-line verbs issue nothing; reflect-metadata has to come first. */
export async function loadX509(): Promise<X509> {
  loading ??= import('reflect-metadata').then(async () => await import('@peculiar/x509'));
  return await loading;
}

/** A certificate and its private key, PEM and PKCS #8. Whoever keeps the key seals it. */
export interface KeyPair {
  certPem: string;
  keyPem: string;
}

export const newKeys = async (): Promise<webcrypto.CryptoKeyPair> =>
  (await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;

export async function keyToPem(key: webcrypto.CryptoKey): Promise<string> {
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }).export({ format: 'pem', type: 'pkcs8' }).toString();
}

async function keyFromPem(pem: string): Promise<webcrypto.CryptoKey> {
  const pkcs8 = createPrivateKey(pem).export({ format: 'der', type: 'pkcs8' });
  return await webcrypto.subtle.importKey('pkcs8', pkcs8, ALGORITHM, false, ['sign']);
}

/** 128 random bits, positive and without a leading zero octet. */
const newSerial = (): string => {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString('hex');
};

export interface CertificateRequest {
  subject: string;
  publicKey: webcrypto.CryptoKey | PublicKey;
  notBefore: Date;
  notAfter: Date;
  extensions: Extension[];
}

/** Signs with the issuer, or with the given key itself for a root; a leaf never outlives its issuer. */
export async function issue(request: CertificateRequest, issuer: KeyPair | { selfKey: webcrypto.CryptoKey }): Promise<string> {
  const x509 = await loadX509();
  const parent = 'certPem' in issuer ? new x509.X509Certificate(issuer.certPem) : undefined;
  const extensions = [...request.extensions, await x509.SubjectKeyIdentifierExtension.create(request.publicKey)];
  if (parent) extensions.push(await x509.AuthorityKeyIdentifierExtension.create(parent.publicKey));
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: request.subject,
    issuer: parent?.subject ?? request.subject,
    notBefore: request.notBefore,
    notAfter: parent && parent.notAfter < request.notAfter ? parent.notAfter : request.notAfter,
    publicKey: request.publicKey,
    signingKey: 'certPem' in issuer ? await keyFromPem(issuer.keyPem) : issuer.selfKey,
    signingAlgorithm: ALGORITHM,
    extensions,
  });
  return new NodeCertificate(Buffer.from(certificate.rawData)).toString();
}
