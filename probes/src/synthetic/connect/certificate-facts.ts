import type { X509Certificate } from 'node:crypto';
import net from 'node:net';
import tls from 'node:tls';
import type { CertificateFacts } from '@svc/contracts/tests/run-report';
import { cut } from '../run-failure.ts';

const MAX_CHAIN = 12;
const DAY_MS = 86_400_000;

/** The certificates that the server sent, its own first. */
function chainOf(leaf: X509Certificate): X509Certificate[] {
  const chain: X509Certificate[] = [];
  const seen = new Set<string>();
  for (let next: X509Certificate | undefined = leaf; next && chain.length < MAX_CHAIN; next = next.issuerCertificate) {
    if (seen.has(next.fingerprint256)) break;
    seen.add(next.fingerprint256);
    chain.push(next);
  }
  return chain;
}

/** On one line, without what a terminal would obey. */
const line = (distinguished: string | undefined): string =>
  cut((distinguished ?? '').trim().split('\n').join(', ').replaceAll(/\p{C}/gu, ''), 512);

function keyOf({ publicKey }: X509Certificate): string {
  const { modulusLength, namedCurve } = publicKey.asymmetricKeyDetails ?? {};
  const kind = (publicKey.asymmetricKeyType ?? 'unknown').toUpperCase();
  if (namedCurve) return cut({ prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' }[namedCurve] ?? namedCurve, 64);
  return cut(modulusLength === undefined ? kind : `${kind} ${modulusLength}`, 64);
}

const namesOf = ({ subjectAltName }: X509Certificate): string[] =>
  (subjectAltName ?? '')
    .split(', ')
    .flatMap((entry) => /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1]?.replaceAll('"', '') ?? [])
    .slice(0, 50)
    .map((name) => cut(name, 253));

export interface Judged {
  readonly facts: CertificateFacts;
  /** Whole and started days until it expires; below zero: since. */
  readonly days: number;
}

const date = (at: Date): string => at.toISOString().slice(0, 10);

interface Checked {
  readonly leaf: X509Certificate;
  readonly chain: readonly X509Certificate[];
  readonly code: string | undefined;
  readonly name: string;
}

/** Words for why it does not hold; undefined: it does. */
function faultOf({ leaf, chain, code, name }: Checked, nowMs: number): string | undefined {
  const ends = leaf.validToDate;
  if (code === undefined) return undefined;
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return ends.getTime() < nowMs
        ? `it expired on ${date(ends)}`
        : 'one of its chain expired, or the clock of the runner is wrong';
    case 'CERT_NOT_YET_VALID':
      return `it is not valid before ${date(leaf.validFromDate)}`;
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return 'it is self-signed';
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return 'its chain ends in an authority that this runner does not trust';
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return chain.length === 1
        ? 'the chain is incomplete, or its authority is not known to this runner: the server sends no certificate of an intermediate authority'
        : 'the chain is incomplete, or its authority is not known to this runner';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `it is for another name than ${cut(name, 100)}`;
    case 'CERT_REVOKED':
      return 'it is revoked';
    default:
      return `it does not hold (${cut(code, 64)})`;
  }
}

/** What is known of the server's certificate; undefined where it showed none. `name` is what was asked for, a name or an address. */
export function judgeCertificate(socket: tls.TLSSocket, name: string, nowMs: number): Judged | undefined {
  const leaf = socket.getPeerX509Certificate();
  if (!leaf) return undefined;
  const chain = chainOf(leaf);
  const reason: unknown = socket.authorizationError;
  const verifyCode = reason ? (reason instanceof Error ? String(Reflect.get(reason, 'code')) : String(reason)) : undefined;
  const isNamed = matches(leaf, name);
  const code = verifyCode ?? (isNamed ? undefined : 'ERR_TLS_CERT_ALTNAME_INVALID');
  const fault = faultOf({ leaf, chain, code, name }, nowMs);
  return {
    days: Math.floor((leaf.validToDate.getTime() - nowMs) / DAY_MS),
    facts: {
      subject: line(leaf.subject),
      issuer: line(leaf.issuer),
      names: namesOf(leaf),
      not_before: leaf.validFromDate.toISOString(),
      not_after: leaf.validToDate.toISOString(),
      fingerprint: leaf.fingerprint256.replaceAll(':', '').toLowerCase(),
      key: keyOf(leaf),
      protocol: cut(socket.getProtocol() ?? 'unknown', 16),
      chain_length: chain.length,
      chain_bytes: chain.reduce((sum, { raw }) => sum + raw.length, 0),
      trusted: verifyCode === undefined,
      name_matches: isNamed,
      ...(fault === undefined ? {} : { fault: cut(fault, 256) }),
    },
  };
}

function matches(leaf: X509Certificate, name: string): boolean {
  if (net.isIP(name) !== 0) return leaf.checkIP(name) !== undefined;
  return tls.checkServerIdentity(name, leaf.toLegacyObject()) === undefined;
}
