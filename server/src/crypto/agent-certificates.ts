import { createPublicKey, verify, X509Certificate } from 'node:crypto';
import { type AgentIdentity, AppError, type Clock, isTenantId, systemClock } from '#kernel';
import { sha256Hex } from './hash.ts';
import { issue, type KeyPair, loadX509 } from './x509.ts';

const HOUR_MS = 3_600_000;
const BACKDATE_MS = 300_000;
const CSR_MAX_LENGTH = 8192;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** What a certificate lets its holder be; one kind counts for nothing where the other is asked for. */
export type IdentityKind = 'agent' | 'runner';

export interface AgentLeafRequest {
  trustDomain: string;
  tenant: string;
  /** Of the agent, or of the runner. */
  agentId: string;
  /** Default: agent. */
  kind?: IdentityKind;
  /** Default 24. */
  hours?: number;
  clock?: Clock;
}

export interface AgentLeaf {
  certPem: string;
  /** SHA-256 of the certificate (DER), lower-case hex. */
  fingerprint: string;
  notAfter: Date;
  /** SubjectPublicKeyInfo (DER) of the agent's key: what `verifyAgentSignature` needs at renewal. */
  spki: Buffer;
}

export const agentSpiffeId = ({ trustDomain, tenant, agentId, kind = 'agent' }: AgentLeafRequest): string =>
  `spiffe://${trustDomain}/tenant/${tenant}/${kind}/${agentId}`;

const refuseKey = (cause?: unknown): AppError => new AppError('validation', 'An agent key must be ECDSA P-256.', { cause });

/** The public key of a CSR whose own signature holds; AppError `validation` for anything but a proper P-256 request. */
export async function readCsr(csrPem: string): Promise<Buffer> {
  if (csrPem.length > CSR_MAX_LENGTH) throw new AppError('validation', 'The certificate request is too large.');
  const x509 = await loadX509();
  try {
    const csr = new x509.Pkcs10CertificateRequest(csrPem);
    if (!(await csr.verify())) throw new Error('signature');
    return checkP256(Buffer.from(csr.publicKey.rawData));
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('validation', 'The certificate request cannot be read or its signature is wrong.', { cause: error });
  }
}

function checkP256(spki: Buffer): Buffer {
  try {
    const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return spki;
  } catch (error) {
    throw refuseKey(error);
  }
  throw refuseKey();
}

/** An agent's certificate for a known public key (SPKI, DER); names come from us alone. */
export async function issueAgentLeaf(issuer: KeyPair, spki: Uint8Array, request: AgentLeafRequest): Promise<AgentLeaf> {
  if (!isTenantId(request.tenant) || !UUID.test(request.agentId)) throw new AppError('internal', 'Not an agent of a tenant.');
  const x509 = await loadX509();
  const now = (request.clock ?? systemClock).now();
  const certPem = await issue(
    {
      subject: `CN=${request.agentId}`,
      publicKey: new x509.PublicKey(checkP256(Buffer.from(spki))),
      notBefore: new Date(now - BACKDATE_MS),
      notAfter: new Date(now + (request.hours ?? 24) * HOUR_MS),
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
        new x509.SubjectAlternativeNameExtension([{ type: 'url', value: agentSpiffeId(request) }]),
      ],
    },
    issuer,
  );
  const certificate = new X509Certificate(certPem);
  return { certPem, fingerprint: sha256Hex(certificate.raw), notAfter: certificate.validToDate, spki: Buffer.from(spki) };
}

/** Enrolment: checks the request's own signature and key, never copies a name out of it, and issues the leaf. */
export async function signAgentCsr(issuer: KeyPair, csrPem: string, request: AgentLeafRequest): Promise<AgentLeaf> {
  return await issueAgentLeaf(issuer, await readCsr(csrPem), request);
}

export interface AgentCertificate extends AgentIdentity {
  notBeforeMs: number;
  notAfterMs: number;
}

const refuse = (why: string): AppError => new AppError('unauthorized', `The client certificate is refused: ${why}.`);

/**
 * The agent named by a certificate (DER) whose chain TLS has checked. TLS alone accepts a name of tenant B signed by the
 * intermediate of tenant A (measured), so the tenant in the name must be that of the issuer. One of another kind than asked for is refused.
 * Dates are the caller's to compare.
 */
export function readAgentCertificate(der: Uint8Array, trustDomain: string, wanted: IdentityKind = 'agent'): AgentCertificate {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(der);
  } catch {
    throw refuse('it cannot be read');
  }
  const prefix = `URI:spiffe://${trustDomain}/tenant/`;
  const name = certificate.subjectAltName ?? '';
  const [tenant, kind, agentId, ...rest] = name.startsWith(prefix) ? name.slice(prefix.length).split('/') : [];
  if (!tenant || !isTenantId(tenant) || kind !== wanted || !agentId || !UUID.test(agentId) || rest.length > 0) {
    throw refuse(`it names no ${wanted} of this service`);
  }
  if (certificate.issuer !== `O=${trustDomain}\nOU=svc agents of tenant\nCN=${tenant}`) throw refuse('another tenant issued it');
  if (certificate.ca) throw refuse('it is an authority');
  return {
    tenant,
    agentId,
    fingerprint: sha256Hex(certificate.raw),
    notBeforeMs: certificate.validFromDate.getTime(),
    notAfterMs: certificate.validToDate.getTime(),
  };
}

/** True when this intermediate's key signed the certificate: for callers that hold the tenant's intermediates themselves. */
export function isIssuedBy(der: Uint8Array, issuerPem: string): boolean {
  try {
    const [certificate, issuer] = [new X509Certificate(der), new X509Certificate(issuerPem)];
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

/** Checks an ECDSA P-256 / SHA-256 signature in IEEE P1363 form by an enrolled key; false for anything malformed. */
export function verifyAgentSignature(spki: Uint8Array, data: string | Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false;
  try {
    const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
    return verify(
      'sha256',
      typeof data === 'string' ? Buffer.from(data, 'utf8') : data,
      { key, dsaEncoding: 'ieee-p1363' },
      signature,
    );
  } catch {
    return false;
  }
}
