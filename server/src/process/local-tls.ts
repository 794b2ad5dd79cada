import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { createRootCa, createServerLeaf, type KeyPair, spkiPin } from '#crypto';
import { AppError, type Clock, isHost, systemClock } from '#kernel';
import { type DataDir, writePrivateFile } from './data-dir.ts';

const DAY_MS = 86_400_000;
const CA_RENEW_DAYS = 400;
const LEAF_RENEW_DAYS = 30;

/** What every listener presents. PEM. */
export interface ServerTls {
  key: string;
  /** Leaf first, then what signs it. */
  cert: string;
  /** The local authority; undefined where SVC_TLS_CERT_FILE or an ingress is used and the system's roots decide. */
  ca: string | undefined;
  /** Base64url SHA-256 of the authority's SubjectPublicKeyInfo, for enrol tokens; undefined with `ca`. */
  pin: string | undefined;
  /** Unix milliseconds: renew before. */
  notAfterMs: number;
}

/** localhost, this host's name and its addresses that other devices can reach. */
export function findOwnHosts(): string[] {
  const addresses = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:') && !address.startsWith('169.254.'))
    .map(({ address }) => address);
  const name = hostname().toLowerCase();
  return [...new Set(['localhost', '127.0.0.1', '::1', ...(isHost(name) ? [name] : []), ...addresses])];
}

function readPair(dataDir: DataDir, name: string): KeyPair | undefined {
  const [cert, key] = [dataDir.join('tls', `${name}.crt`), dataDir.join('tls', `${name}.key`)];
  if (!existsSync(cert) || !existsSync(key)) return undefined;
  return { certPem: readFileSync(cert, 'utf8'), keyPem: readFileSync(key, 'utf8') };
}

function writePair(dataDir: DataDir, name: string, pair: KeyPair): void {
  // The key first: a certificate without its key is made anew, the reverse as well.
  writePrivateFile(dataDir.join('tls', `${name}.key`), pair.keyPem);
  writePrivateFile(dataDir.join('tls', `${name}.crt`), pair.certPem);
}

const coversAll = (certificate: X509Certificate, hosts: readonly string[]): boolean =>
  hosts.every((host) => (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined);

function isUsable(pair: KeyPair | undefined, nowMs: number, renewDays: number): pair is KeyPair {
  if (!pair) return false;
  try {
    const certificate = new X509Certificate(pair.certPem);
    return certificate.validToDate.getTime() - nowMs > renewDays * DAY_MS && certificate.validFromDate.getTime() <= nowMs;
  } catch {
    return false;
  }
}

export interface LocalTlsOptions {
  /** SVC_TLS_HOSTS; empty means `findOwnHosts()`. */
  hosts: readonly string[];
  /** Makes a new leaf also when the old one would do (`svc gen-cert`). The authority, and so the pin, stays. */
  renew?: boolean;
  clock?: Clock;
}

/**
 * The self-signed authority and leaf in tls/, made on the first start and renewed before they end or when a host is missing.
 * Printed enrol tokens carry the authority's pin, so it is replaced only when its own ten years are over.
 */
export async function ensureLocalTls(dataDir: DataDir, options: LocalTlsOptions): Promise<ServerTls> {
  const clock = options.clock ?? systemClock;
  const hosts = options.hosts.length > 0 ? options.hosts : findOwnHosts();
  let ca = readPair(dataDir, 'ca');
  let leaf = readPair(dataDir, 'server');
  if (!isUsable(ca, clock.now(), CA_RENEW_DAYS)) {
    ca = await createRootCa({ commonName: 'Network Observability Service local authority', clock });
    writePair(dataDir, 'ca', ca);
    leaf = undefined;
  }
  const authority = new X509Certificate(ca.certPem);
  const fits = (pair: KeyPair): boolean => {
    const certificate = new X509Certificate(pair.certPem);
    return certificate.checkIssued(authority) && certificate.verify(authority.publicKey) && coversAll(certificate, hosts);
  };
  if (options.renew || !isUsable(leaf, clock.now(), LEAF_RENEW_DAYS) || !fits(leaf)) {
    leaf = await createServerLeaf(ca, { hosts, clock });
    writePair(dataDir, 'server', leaf);
  }
  return {
    key: leaf.keyPem,
    cert: `${leaf.certPem}${ca.certPem}`,
    ca: ca.certPem,
    pin: spkiPin(ca.certPem),
    notAfterMs: new X509Certificate(leaf.certPem).validToDate.getTime(),
  };
}

/** A certificate with its key, of the keys `<prefix>_CERT_FILE` and `_KEY_FILE`; AppError `validation` when they do not belong together or are over. */
export function readTlsFiles(certFile: string, keyFile: string, prefix: 'SVC_TLS' | 'SVC_OTLP_TLS' = 'SVC_TLS'): ServerTls {
  const [cert, key] = [readFileSync(certFile, 'utf8'), readFileSync(keyFile, 'utf8')];
  const refuse = (message: string, cause?: unknown) =>
    new AppError('validation', 'The TLS files cannot be used.', { cause, faults: [{ path: `${prefix}_CERT_FILE`, message }] });
  let certificate: X509Certificate;
  let matches: boolean;
  try {
    certificate = new X509Certificate(cert);
    matches = certificate.checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    throw refuse(`or ${prefix}_KEY_FILE is not PEM that can be read`, error);
  }
  if (!matches) throw refuse(`does not belong to the key in ${prefix}_KEY_FILE`);
  const notAfterMs = certificate.validToDate.getTime();
  if (notAfterMs <= systemClock.now()) throw refuse(`ended on ${certificate.validToDate.toISOString()}`);
  return { key, cert, ca: undefined, pin: undefined, notAfterMs };
}

/** What the listeners present: the given files, else the local authority's leaf. */
export async function openServerTls(
  tls: { certFile: string | undefined; keyFile: string | undefined; hosts: readonly string[] },
  dataDir: DataDir,
): Promise<ServerTls> {
  if (tls.certFile && tls.keyFile) return readTlsFiles(tls.certFile, tls.keyFile);
  return await ensureLocalTls(dataDir, { hosts: tls.hosts });
}

/** For `svc gen-cert`: a new leaf below the authority that is there, with the files' places. */
export async function makeCertificate(dataDir: DataDir, givenHosts: readonly string[]) {
  const hosts = givenHosts.length > 0 ? givenHosts : findOwnHosts();
  const { pin = '', notAfterMs } = await ensureLocalTls(dataDir, { hosts, renew: true });
  const [caFile, certFile, keyFile] = ['ca.crt', 'server.crt', 'server.key'].map((name) => dataDir.join('tls', name)) as [
    string,
    string,
    string,
  ];
  return { hosts, caFile, certFile, keyFile, pin, notAfterMs };
}
