import 'reflect-metadata';
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign, webcrypto } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';
import { AGENT_PROTOCOL } from '@svc/contracts/agent/version';
import {
  type EnrollRunner,
  type RenewRunner,
  RUNNER_TOKEN_TEXT,
  RunnerIdentityAnswer,
  renewRunnerPayload,
} from '@svc/contracts/tests/runner-protocol';
import { CanaryFault } from '../canary-fault.ts';
import type { Credentials } from './identity-store.ts';
import { type JsonAnswer, postTrusted, type Server } from './trusted-post.ts';

/** Past this difference the server refuses a renewal; the next try uses the server's clock. */
const SKEW_MS = 4 * 60_000;

const KINDS: Readonly<Record<string, CanaryFault['kind']>> = {
  upgrade_required: 'upgrade_required',
  forbidden: 'removed',
  not_found: 'unknown',
};

const generateKeyPem = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** A certificate request (PEM) that proves the key. It names nobody: the server sets the identity. */
async function createCsr(keyPem: string): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const key = createPrivateKey(keyPem);
  const pkcs8 = key.export({ type: 'pkcs8', format: 'der' });
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const csr = await Pkcs10CertificateRequestGenerator.create({
    name: 'CN=svc-canary',
    keys: {
      privateKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, true, ['sign']),
      publicKey: await webcrypto.subtle.importKey('spki', spki, algorithm, true, ['verify']),
    },
    signingAlgorithm: algorithm,
  });
  return csr.toString('pem');
}

function readIdentity({ status, body }: JsonAnswer, server: Server, keyPem: string): Credentials {
  if (status < 200 || status > 299) {
    const problem = body as { code?: unknown; detail?: unknown; title?: unknown } | null;
    const words = [problem?.detail, problem?.title].find((text) => typeof text === 'string') ?? `status ${status}`;
    throw new CanaryFault(KINDS[String(problem?.code)] ?? 'refused', `The server refused: ${words}`);
  }
  const parsed = RunnerIdentityAnswer.safeParse(body);
  if (!parsed.success) throw new CanaryFault('refused', 'The server’s answer holds no identity. Is this the right address?');
  return { ...parsed.data, server: server.url, pin: server.pin ?? null, key_pem: keyPem };
}

export interface EnrolInput {
  /** `https://host:port` */
  server: string;
  token: string;
  version: string;
  name: string | undefined;
  labels: Record<string, string>;
  /** Of an earlier enrolment: with it the runner stays the same. */
  keyPem: string | undefined;
  protocol?: number;
}

/** Enrols this machine with a token for runners; the server is proven by the token's pin first. Throws CanaryFault. */
export async function enrolCanary(input: EnrolInput): Promise<Credentials> {
  const parts = RUNNER_TOKEN_TEXT.exec(input.token.trim());
  if (!parts) throw new CanaryFault('usage', 'This is no token for runners: one begins with svc_run_ and has no spaces.');
  if (!/^https:\/\//.test(input.server) || !URL.canParse(input.server))
    throw new CanaryFault('usage', 'The server is an address such as https://svc.example:8443.');
  const server: Server = { url: new URL(input.server).origin, pin: parts[2] };
  const keyPem = input.keyPem ?? generateKeyPem();
  const document: EnrollRunner = {
    token: input.token.trim(),
    csr: await createCsr(keyPem),
    protocol: input.protocol ?? AGENT_PROTOCOL,
    version: input.version,
    labels: input.labels,
    ...(input.name === undefined ? {} : { name: input.name }),
  };
  return readIdentity(await postTrusted(server, '/runner/v1/enroll', document), server, keyPem);
}

function renewRequest(
  { runner_id, tenant_id, key_pem }: Credentials,
  { nowMs, protocol }: { nowMs: number; protocol: number },
): RenewRunner {
  const named = { runner_id, tenant_id, issued_at: new Date(nowMs).toISOString(), nonce: randomBytes(24).toString('base64url') };
  const key = { key: createPrivateKey(key_pem), dsaEncoding: 'ieee-p1363' as const };
  return { ...named, protocol, signature: sign('sha256', Buffer.from(renewRunnerPayload(named)), key).toString('base64') };
}

/** A new certificate for the enrolled key, also long after the old one ran out, and whatever this machine's clock says. Throws CanaryFault. */
export async function renewCanary(
  credentials: Credentials,
  { protocol = AGENT_PROTOCOL, now = Date.now }: { protocol?: number; now?: () => number } = {},
): Promise<Credentials> {
  const server: Server = { url: credentials.server, pin: credentials.pin ?? undefined };
  const ask = async (nowMs: number): Promise<JsonAnswer> =>
    await postTrusted(server, '/runner/v1/renew', renewRequest(credentials, { nowMs, protocol }));
  let answer = await ask(now());
  const skewMs = answer.serverMs === undefined ? 0 : answer.serverMs - now();
  if (answer.status >= 400 && Math.abs(skewMs) > SKEW_MS) answer = await ask(now() + skewMs);
  return readIdentity(answer, server, credentials.key_pem);
}
