import { createPrivateKey, randomBytes, sign } from 'node:crypto';
import { type EnrollRequest, IdentityAnswer, type RenewRequest, renewPayload } from '@svc/contracts/agent/protocol';
import { AGENT_PROTOCOL, ENROL_TOKEN } from '@svc/contracts/agent/version';
import { ERROR_CODES, type ErrorCode } from '@svc/contracts/error-codes';
import { AgentError } from '../agent-error.ts';
import type { Credentials, Identity } from './identity.ts';
import { createCsr, generateKeyPem } from './key.ts';
import type { Server } from './open-trusted.ts';
import { type JsonAnswer, postJson } from './post-json.ts';
import { type NoteSent, type SentDocument, sentDocument } from './sent-document.ts';

/** What a device says of itself when it enrols; what it withholds is left out. */
export type DeviceFacts = Pick<
  EnrollRequest,
  'agent_version' | 'device_name' | 'owner_email' | 'site' | 'os' | 'os_version' | 'arch' | 'model'
>;

export interface EnrollInput {
  /** `https://host:port` */
  server: string;
  token: string;
  facts: DeviceFacts;
  /** The key of an earlier enrolment: with it the device stays the same agent. */
  keyPem?: string;
  /** Injected so that tests can be two versions apart. */
  protocol?: number;
}

export interface RenewInput {
  credentials: Credentials;
  protocol?: number;
}

const isErrorCode = (code: unknown): code is ErrorCode => ERROR_CODES.some((known) => known === code);

function refusal(answer: JsonAnswer, verb: string): AgentError {
  const problem = answer.body as { code?: unknown; detail?: unknown; title?: unknown } | null;
  const words = [problem?.detail, problem?.title].find((text) => typeof text === 'string') ?? `status ${answer.status}`;
  const code = isErrorCode(problem?.code) ? problem.code : 'bad_answer';
  if (code === 'upgrade_required')
    return new AgentError(
      code,
      `The server needs another version of this agent: ${words} Update the agent, then start it again.`,
    );
  return new AgentError(code, `The server refused to ${verb}: ${words}`);
}

/** Puts what the server signed beside the request that it is for. */
function keepReceipt(sent: SentDocument | undefined, { body }: JsonAnswer): void {
  const { receipt, received_at_ms: receivedAtMs } = IdentityAnswer.parse(body);
  if (sent && receipt !== undefined && receivedAtMs !== undefined) sent.receipt = { signature: receipt, receivedAtMs };
}

function readIdentity(answer: JsonAnswer, server: Server): Identity {
  const parsed = IdentityAnswer.safeParse(answer.body);
  if (!parsed.success) throw new AgentError('bad_answer', 'The server’s answer holds no identity. Is this the right address?');
  const { agent_id, tenant_id, chain, grpc_ca, grpc_addr, not_after, ring } = parsed.data;
  const identity = {
    agentId: agent_id,
    tenantId: tenant_id,
    chain,
    grpcTrust: grpc_ca === '' ? ('system' as const) : ('authority' as const),
    grpcCa: grpc_ca,
    grpcAddr: grpc_addr,
    notAfter: not_after,
    ring,
  };
  return { server: server.url, ...(server.pin === undefined ? {} : { pin: server.pin }), ...identity };
}

/** Enrols this device with a printed token; the server is proven by the token's pin first. Throws AgentError. */
export async function enroll(input: EnrollInput, note: NoteSent = () => undefined): Promise<Credentials> {
  const parts = ENROL_TOKEN.exec(input.token.trim());
  if (!parts) throw new AgentError('usage', 'This is no enrol token: one begins with svc_enr_ and has no spaces.');
  const server: Server = { url: new URL(input.server).origin, pin: parts[2] };
  const keyPem = input.keyPem ?? generateKeyPem();
  const csr = await createCsr(keyPem);
  const document = {
    ...input.facts,
    token: input.token.trim(),
    csr,
    protocol: input.protocol ?? AGENT_PROTOCOL,
  } satisfies EnrollRequest;
  let sent: SentDocument | undefined;
  const answer = await postJson({ server, path: '/agent/v1/enroll' }, document, (content) => {
    sent = sentDocument('enrol', server.url, content);
    note(sent);
  });
  if (answer.status < 200 || answer.status > 299) throw refusal(answer, 'enrol this device');
  const identity = readIdentity(answer, server);
  keepReceipt(sent, answer);
  return { identity, keyPem };
}

function renewRequest({ credentials, protocol }: RenewInput, nowMs: number): RenewRequest {
  const { agentId, tenantId } = credentials.identity;
  const named = {
    agent_id: agentId,
    tenant_id: tenantId,
    issued_at: new Date(nowMs).toISOString(),
    nonce: randomBytes(24).toString('base64url'),
  };
  const key = { key: createPrivateKey(credentials.keyPem), dsaEncoding: 'ieee-p1363' as const };
  const signature = sign('sha256', Buffer.from(renewPayload(named)), key).toString('base64');
  return { ...named, protocol: protocol ?? AGENT_PROTOCOL, signature };
}

/** Past this difference the server refuses; the next try uses the server's clock. */
const SKEW_MS = 4 * 60_000;

/** A new certificate for the enrolled key, also long after the old one ran out. Throws AgentError; a revoked agent is refused. */
export async function renew(input: RenewInput, note: NoteSent = () => undefined): Promise<Credentials> {
  const { identity, keyPem } = input.credentials;
  const server: Server = { url: identity.server, pin: identity.pin };
  const place = { server, path: '/agent/v1/renew' };
  let sent: SentDocument | undefined;
  const onSending = (content: Buffer): void => {
    sent = sentDocument('renew', server.url, content);
    note(sent);
  };
  let answer = await postJson(place, renewRequest(input, Date.now()), onSending);
  const skewMs = answer.serverTimeMs === undefined ? 0 : answer.serverTimeMs - Date.now();
  if (answer.status >= 400 && Math.abs(skewMs) > SKEW_MS) {
    answer = await postJson(place, renewRequest(input, Date.now() + skewMs), onSending);
  }
  if (answer.status < 200 || answer.status > 299) throw refusal(answer, 'renew the certificate');
  const renewed = readIdentity(answer, server);
  keepReceipt(sent, answer);
  return { identity: renewed, keyPem };
}
