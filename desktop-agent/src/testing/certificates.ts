import 'reflect-metadata';
import { createHash, X509Certificate as NodeCertificate, randomBytes, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  PemConverter,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** Real certificates for the tests' own control plane: a server CA with a leaf, an agents' root with a tenant's intermediate. */
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const day = 86_400_000;

export interface Authority {
  certificate: X509Certificate;
  keys: CryptoKeyPairOf;
}
type CryptoKeyPairOf = Awaited<ReturnType<typeof newKeys>>;

const newKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
const serial = (): string => `01${randomBytes(12).toString('hex')}`;
const dates = (life: number) => ({ notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + life) });

export async function createAuthority(name: string, issuer?: Authority): Promise<Authority> {
  const keys = await newKeys();
  const extensions = [new BasicConstraintsExtension(true, undefined, true)];
  const common = { serialNumber: serial(), ...dates(365 * day), signingAlgorithm: algorithm, extensions };
  const certificate = issuer
    ? await X509CertificateGenerator.create({
        ...common,
        subject: `CN=${name}`,
        issuer: issuer.certificate.subject,
        signingKey: issuer.keys.privateKey,
        publicKey: keys.publicKey,
      })
    : await X509CertificateGenerator.createSelfSigned({ ...common, name: `CN=${name}`, keys });
  return { certificate, keys };
}

export const pemOf = (certificate: X509Certificate): string => `${certificate.toString('pem')}\n`;

export async function createServerLeaf(ca: Authority, lifeMs = day): Promise<{ cert: string; key: string }> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serial(),
    ...dates(lifeMs),
    signingAlgorithm: algorithm,
    subject: 'CN=localhost',
    issuer: ca.certificate.subject,
    signingKey: ca.keys.privateKey,
    publicKey: keys.publicKey,
    extensions: [
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
      ]),
    ],
  });
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: pemOf(certificate) + pemOf(ca.certificate), key: PemConverter.encode(pkcs8, 'PRIVATE KEY') };
}

/** Signs the key of a request, or a bare SubjectPublicKeyInfo (DER), as an agent of the intermediate's tenant. */
export async function signAgent(issuer: Authority, subject: { csr?: string; spki?: Buffer; uri: string; lifeMs: number }) {
  const publicKey = subject.csr
    ? new Pkcs10CertificateRequest(subject.csr).publicKey
    : await webcrypto.subtle.importKey('spki', subject.spki as Buffer, algorithm, true, ['verify']);
  return await X509CertificateGenerator.create({
    serialNumber: serial(),
    ...dates(subject.lifeMs),
    signingAlgorithm: algorithm,
    subject: 'CN=agent',
    issuer: issuer.certificate.subject,
    signingKey: issuer.keys.privateKey,
    publicKey,
    extensions: [
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
      new SubjectAlternativeNameExtension([{ type: 'url', value: subject.uri }]),
    ],
  });
}

export const pinOfAuthority = (authority: Authority): string =>
  createHash('sha256')
    .update(new NodeCertificate(authority.certificate.toString('pem')).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
