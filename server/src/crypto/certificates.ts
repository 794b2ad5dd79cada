import { createHash, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { AppError, type Clock, systemClock } from '#kernel';
import { issue, type KeyPair, keyToPem, loadX509, newKeys } from './x509.ts';

const DAY_MS = 86_400_000;
/** Devices whose clock is a little behind must still accept a certificate of this minute. */
const BACKDATE_MS = 3_600_000;

/** A name part of a certificate without characters that a distinguished name gives a meaning. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/;

function checkName(name: string): string {
  if (!NAME.test(name)) throw new AppError('internal', `"${name}" cannot stand in a certificate's name.`);
  return name;
}

export interface RootRequest {
  /** Shown to people; letters, digits, space, dot, dash. */
  commonName: string;
  /** Default ten years. */
  days?: number;
  clock?: Clock;
}

/** A self-signed certificate authority; it may have intermediates below it. */
export async function createRootCa(request: RootRequest): Promise<KeyPair> {
  const x509 = await loadX509();
  const keys = await newKeys();
  const now = (request.clock ?? systemClock).now();
  const certPem = await issue(
    {
      subject: `CN=${checkName(request.commonName)}`,
      publicKey: keys.publicKey,
      notBefore: new Date(now - BACKDATE_MS),
      notAfter: new Date(now + (request.days ?? 3650) * DAY_MS),
      extensions: [
        new x509.BasicConstraintsExtension(true, 1, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      ],
    },
    { selfKey: keys.privateKey },
  );
  return { certPem, keyPem: await keyToPem(keys.privateKey) };
}

export interface IntermediateRequest {
  trustDomain: string;
  tenant: string;
  /** Default five years; never longer than the root. */
  days?: number;
  clock?: Clock;
}

/** Name of a tenant's intermediate: what `readAgentCertificate` compares with the tenant in a leaf. */
export const intermediateSubject = (trustDomain: string, tenant: string): string =>
  `O=${checkName(trustDomain)}, OU=svc agents of tenant, CN=${tenant}`;

/** The authority that issues the agents' certificates of one tenant. */
export async function createIntermediate(root: KeyPair, request: IntermediateRequest): Promise<KeyPair> {
  const x509 = await loadX509();
  const keys = await newKeys();
  const now = (request.clock ?? systemClock).now();
  const certPem = await issue(
    {
      subject: intermediateSubject(request.trustDomain, request.tenant),
      publicKey: keys.publicKey,
      notBefore: new Date(now - BACKDATE_MS),
      notAfter: new Date(now + (request.days ?? 1825) * DAY_MS),
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
        new x509.SubjectAlternativeNameExtension([
          { type: 'url', value: `spiffe://${request.trustDomain}/tenant/${request.tenant}` },
        ]),
      ],
    },
    root,
  );
  return { certPem, keyPem: await keyToPem(keys.privateKey) };
}

export interface ServerLeafRequest {
  /** Host names and addresses, at least one; the first is the common name. */
  hosts: readonly string[];
  /** Default 397, the most that browsers accept. */
  days?: number;
  clock?: Clock;
}

/** A server's certificate for TLS, with its own fresh key. */
export async function createServerLeaf(ca: KeyPair, request: ServerLeafRequest): Promise<KeyPair> {
  const x509 = await loadX509();
  const keys = await newKeys();
  const now = (request.clock ?? systemClock).now();
  const [first] = request.hosts;
  if (!first) throw new AppError('internal', 'A server certificate needs a host.');
  const names = request.hosts.map((host) => ({ type: isIP(host) ? ('ip' as const) : ('dns' as const), value: host }));
  const certPem = await issue(
    {
      // The common name is for people; names are matched against the alternative names. IPv6 needs no place here.
      subject: `CN=${NAME.test(first) ? first : 'svc'}`,
      publicKey: keys.publicKey,
      notBefore: new Date(now - BACKDATE_MS),
      notAfter: new Date(now + (request.days ?? 397) * DAY_MS),
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension(names),
      ],
    },
    ca,
  );
  return { certPem, keyPem: await keyToPem(keys.privateKey) };
}

/** SHA-256 of a certificate's SubjectPublicKeyInfo, base64url: the pin of a printed enrol token. */
export function spkiPin(certPem: string): string {
  const spki = new X509Certificate(certPem).publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(spki).digest('base64url');
}
