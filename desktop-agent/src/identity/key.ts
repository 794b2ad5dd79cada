import 'reflect-metadata';
import { createPrivateKey, createPublicKey, generateKeyPairSync, webcrypto } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';

/** A new P-256 key, PKCS#8 PEM. */
export const generateKeyPem = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** A certificate request (PEM) that proves the key. It names nobody: the server sets the identity. */
export async function createCsr(keyPem: string): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const key = createPrivateKey(keyPem);
  const pkcs8 = key.export({ type: 'pkcs8', format: 'der' });
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const csr = await Pkcs10CertificateRequestGenerator.create({
    name: 'CN=svc-agent',
    keys: {
      privateKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, true, ['sign']),
      publicKey: await webcrypto.subtle.importKey('spki', spki, algorithm, true, ['verify']),
    },
    signingAlgorithm: algorithm,
  });
  return csr.toString('pem');
}
