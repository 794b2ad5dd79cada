import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

export interface LabCertificates {
  /** PEM of the authority, for those who shall trust the server. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface CertificateWish {
  readonly dns: readonly string[];
  readonly ip: readonly string[];
  /** Of the server's certificate; default: from yesterday for a week. */
  readonly validFrom?: Date;
  readonly validTo?: Date;
}

/** A throw-away authority and a server certificate for names and numeric addresses. */
export async function createCertificates(names: CertificateWish): Promise<LabCertificates> {
  const authority = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const leaf = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const window = {
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + 7 * DAY_MS),
    signingAlgorithm: ALGORITHM,
  };
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    ...window,
    name: 'CN=svc network lab',
    keys: authority,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  const alternatives: x509.JsonGeneralNames = [
    ...names.dns.map((value) => ({ type: 'dns' as const, value })),
    ...names.ip.map((value) => ({ type: 'ip' as const, value })),
  ];
  const cert = await x509.X509CertificateGenerator.create({
    ...window,
    ...(names.validFrom ? { notBefore: names.validFrom } : {}),
    ...(names.validTo ? { notAfter: names.validTo } : {}),
    subject: 'CN=svc network lab server',
    issuer: ca.subject,
    publicKey: leaf.publicKey,
    signingKey: authority.privateKey,
    extensions: [new x509.SubjectAlternativeNameExtension(alternatives)],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', leaf.privateKey)).toString('base64');
  const pem = `-----BEGIN PRIVATE KEY-----\n${key.match(/.{1,64}/g)?.join('\n')}\n-----END PRIVATE KEY-----\n`;
  return { ca: ca.toString('pem'), cert: cert.toString('pem'), key: pem };
}
