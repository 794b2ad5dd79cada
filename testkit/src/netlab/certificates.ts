import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface LabCertificates extends KeyPair {
  /** PEM of the authority, for those who shall trust the server. */
  readonly ca: string;
}

export interface CertificateWish {
  readonly dns: readonly string[];
  readonly ip: readonly string[];
  /** Of the server's certificate; default: from yesterday for a week. */
  readonly validFrom?: Date;
  readonly validTo?: Date;
}

/** A throw-away authority and a server certificate for names and numeric addresses. */
export async function createCertificates(wish: CertificateWish): Promise<LabCertificates> {
  const issuer = await createIssuer('svc network lab', undefined, wish.validTo);
  return { ca: issuer.certificate.toString('pem'), ...(await issue(issuer, wish)) };
}

export const CERTIFICATE_KINDS = ['valid', 'expired', 'not_yet_valid', 'other_name', 'unknown_authority'] as const;
export type CertificateKind = (typeof CERTIFICATE_KINDS)[number];

export interface CertificateSet {
  /** PEM of the authority that clients know. */
  readonly ca: string;
  /** Of each kind, one for all names. */
  readonly pairs: Readonly<Record<CertificateKind, KeyPair>>;
}

/** A valid certificate, and those that a client must refuse. */
export async function createCertificateSet(names: Pick<CertificateWish, 'dns' | 'ip'>): Promise<CertificateSet> {
  const [known, unknown] = await Promise.all([createIssuer('svc network lab'), createIssuer('nobody knows')]);
  const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);
  const [valid, expired, early, other, stranger] = await Promise.all([
    issue(known, names),
    issue(known, { ...names, validFrom: daysAgo(30), validTo: daysAgo(2) }),
    issue(known, { ...names, validFrom: daysAgo(-2) }),
    issue(known, { dns: ['other.example'], ip: [] }),
    issue(unknown, names),
  ]);
  return {
    ca: known.certificate.toString('pem'),
    pairs: { valid, expired, not_yet_valid: early, other_name: other, unknown_authority: stranger },
  };
}

export interface CertificateChain extends KeyPair {
  /** PEM of the authority at its end, and of the one between it and the server. */
  readonly ca: string;
  readonly intermediate: string;
}

/** A server's certificate that an intermediate authority issued: with `intermediate` behind it, the chain is complete. */
export async function createChain(names: CertificateWish): Promise<CertificateChain> {
  const root = await createIssuer('svc network lab');
  const middle = await createIssuer('svc network lab department', root);
  const pair = await issue(middle, names);
  return { ca: root.certificate.toString('pem'), intermediate: middle.certificate.toString('pem'), ...pair };
}

/** A certificate that nobody but its own key vouches for. */
export async function createSelfSigned(names: CertificateWish): Promise<KeyPair> {
  const keys = await generateKeys();
  const subject = 'CN=svc network lab server';
  return await sign({ keys, signer: { keys, subject }, names });
}

type Keys = Awaited<ReturnType<typeof generateKeys>>;
const generateKeys = () => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

interface Issuer {
  readonly certificate: x509.X509Certificate;
  readonly keys: Keys;
}

const AUTHORITY = [
  new x509.BasicConstraintsExtension(true, undefined, true),
  new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
];

/** Valid for a week, or as long as what it signs where that is longer. */
async function createIssuer(name: string, parent?: Issuer, validTo = new Date(0)): Promise<Issuer> {
  const keys = await generateKeys();
  const subject = `CN=${name}`;
  const certificate = await x509.X509CertificateGenerator.create({
    notBefore: new Date(Date.now() - 60 * DAY_MS),
    notAfter: new Date(Math.max(validTo.getTime(), Date.now() + 7 * DAY_MS)),
    signingAlgorithm: ALGORITHM,
    subject,
    issuer: parent?.certificate.subject ?? subject,
    publicKey: keys.publicKey,
    signingKey: (parent?.keys ?? keys).privateKey,
    extensions: AUTHORITY,
  });
  return { certificate, keys };
}

async function issue(issuer: Issuer, names: CertificateWish): Promise<KeyPair> {
  const keys = await generateKeys();
  return await sign({ keys, signer: { keys: issuer.keys, subject: issuer.certificate.subject }, names });
}

interface ToSign {
  readonly keys: Keys;
  readonly signer: { readonly keys: Keys; readonly subject: string };
  readonly names: CertificateWish;
}

async function sign({ keys, signer, names }: ToSign): Promise<KeyPair> {
  const alternatives: x509.JsonGeneralNames = [
    ...names.dns.map((value) => ({ type: 'dns' as const, value })),
    ...names.ip.map((value) => ({ type: 'ip' as const, value })),
  ];
  const cert = await x509.X509CertificateGenerator.create({
    notBefore: names.validFrom ?? new Date(Date.now() - DAY_MS),
    notAfter: names.validTo ?? new Date(Date.now() + 7 * DAY_MS),
    signingAlgorithm: ALGORITHM,
    subject: 'CN=svc network lab server',
    issuer: signer.subject,
    publicKey: keys.publicKey,
    signingKey: signer.keys.privateKey,
    extensions: [new x509.SubjectAlternativeNameExtension(alternatives)],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const pem = `-----BEGIN PRIVATE KEY-----\n${key.match(/.{1,64}/g)?.join('\n')}\n-----END PRIVATE KEY-----\n`;
  return { cert: `${cert.toString('pem')}\n`, key: pem };
}
