import { createHash, createPublicKey, randomUUID, verify, webcrypto } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Metadata, Server, ServerCredentials, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { LINK_TEST_SERVICE } from '@svc/contracts/agent/link-test';
import {
  type AgentStatus,
  agentStatus,
  type BatchAck,
  FLEET_SERVICE,
  RESULTS_SERVICE,
  resultBatch,
  type ServerMessage,
} from '@svc/contracts/agent/messages';
import { EnrollRequest, RenewRequest, renewPayload } from '@svc/contracts/agent/protocol';
import { messageReceiptText, type ReceiptedKind, receiptText } from '@svc/contracts/agent/receipt';
import { ERROR_CODE_METADATA, PROTOCOL_METADATA, RECEIPTS_METADATA } from '@svc/contracts/agent/version';
import { type EndpointResult, fromWire } from '../result.ts';
import { type Authority, createAuthority, createServerLeaf, pemOf, pinOfAuthority, signAgent } from './certificates.ts';
import { linkTest } from './link-test.ts';

/** A small real control plane: HTTPS enrolment with a pinned CA, mutual-TLS gRPC with acknowledgements, faults on demand. */
export interface ControlPlane {
  url: string;
  token: string;
  grpcAddr: string;
  /** Where identities send the agent; default: `grpcAddr` itself. */
  advertised: string | undefined;
  /** Certificate and key of both listeners. */
  leaf: { cert: string; key: string };
  /** Results in the order of their arrival; a batch counts once it is acknowledged. */
  received: EndpointResult[];
  statuses: AgentStatus[];
  enrolments: EnrollRequest[];
  renewals: number;
  faults: {
    /** Ends every new stream with this word of ours. */
    refuse?: { code: string; status: status };
    /** Milliseconds before each acknowledgement. */
    ackDelayMs?: number;
    /** Acknowledges without a receipt, as older servers do, or with one that is wrong. */
    receipts?: 'none' | 'wrong';
    /** Takes batches and says nothing. */
    mute?: boolean;
    leafLifeMs?: number;
    renewRefusal?: { status: number; code: string };
    clockSkewMs?: number;
    /** As a control plane of before; counts from the next `listen` on. */
    noLinkTest?: boolean;
  };
  /** Says something to every connected agent. */
  say(message: Partial<ServerMessage>): void;
  /** Cuts every open connection, as a crash does. */
  cut(): void;
  /** Stops the gRPC listener; `listen` starts it again on the same port. */
  stopListening(): Promise<void>;
  listen(): Promise<void>;
  /** Both listeners present a certificate of another authority from now on, as after a renewal elsewhere; gives that authority's PEM. */
  changeAuthority(): Promise<string>;
  close(): Promise<void>;
}

export interface ControlPlaneOptions {
  /** As with SVC_TLS_CERT_FILE: tokens carry no pin, identities no authority, the device's roots decide. */
  ownCertificate?: boolean;
}

interface State extends ControlPlane {
  agentRoot: Authority;
  tenantCa: Authority;
  /** PEM; of both listeners. */
  serverCa: string;
  /** What an identity is told of it. */
  grpcCa: string;
  keys: Map<string, Buffer>;
  fleet: Set<ServerDuplexStream<Buffer, ServerMessage>>;
  server: Server | undefined;
}

/** From the name in the client's certificate. */
const agentOf = (call: ServerDuplexStream<Buffer, unknown>): string =>
  /agent\/([^,]+)/.exec(String(call.getAuthContext().sslPeerCertificate?.subjectaltname))?.[1] ?? '';

async function signed(state: State, ack: BatchAck, of: { bytes: Buffer; agentId: string }): Promise<BatchAck> {
  if (state.faults.receipts === 'none') return ack;
  const receivedAtMs = Date.now();
  const sha256 = createHash('sha256').update(of.bytes).digest('hex');
  const accepted = ack.accepted + (state.faults.receipts === 'wrong' ? 1 : 0);
  const text = receiptText({ tenant: 'default', agentId: of.agentId, ...ack, accepted, sha256, receivedAtMs });
  return { ...ack, receipt: await signText(state, text), received_at_ms: receivedAtMs };
}

async function signText(state: State, text: string): Promise<Buffer> {
  const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
  return Buffer.from(await webcrypto.subtle.sign(algorithm, state.tenantCa.keys.privateKey, Buffer.from(text)));
}

async function signMessage(state: State, kind: ReceiptedKind, { bytes, agentId }: { bytes: Buffer; agentId: string }) {
  if (state.faults.receipts === 'none') return undefined;
  const receivedAtMs = Date.now();
  const digest = createHash('sha256').update(bytes).digest();
  const tenant = state.faults.receipts === 'wrong' ? 'another' : 'default';
  const text = messageReceiptText({ kind, tenant, agentId, sha256: digest.toString('hex'), receivedAtMs });
  return { digest, receipt: await signText(state, text), receivedAtMs };
}

function startGrpc(state: State): Promise<void> {
  const server = new Server();
  const admit = (call: ServerDuplexStream<unknown, unknown>): boolean => {
    call.on('error', () => undefined);
    const { refuse } = state.faults;
    if (call.metadata.get(PROTOCOL_METADATA).length === 1 && !refuse) return true;
    const metadata = new Metadata();
    metadata.set(ERROR_CODE_METADATA, refuse?.code ?? 'bad_request');
    call.emit('error', { code: refuse?.status ?? status.INVALID_ARGUMENT, details: `refused: ${refuse?.code}`, metadata });
    return false;
  };
  const definition = { publish: { ...RESULTS_SERVICE.publish, requestDeserialize: (bytes: Buffer) => bytes } };
  server.addService(definition, {
    publish(call: ServerDuplexStream<Buffer, BatchAck>) {
      if (!admit(call)) return;
      call.on('data', async (bytes: Buffer) => {
        const batch = resultBatch.decode(bytes);
        if (state.faults.mute) return;
        if (state.faults.ackDelayMs) await new Promise((resolve) => setTimeout(resolve, state.faults.ackDelayMs));
        if (call.cancelled || state.faults.mute) return;
        state.received.push(...batch.results.map(fromWire));
        const ack = { sequence: batch.sequence, accepted: batch.results.length, rejected: 0, rejected_reasons: [] };
        call.write(await signed(state, ack, { bytes, agentId: agentOf(call) }));
      });
      call.on('end', () => call.end());
    },
  });
  if (!state.faults.noLinkTest) server.addService(LINK_TEST_SERVICE, linkTest(admit));
  const fleet = { connect: { ...FLEET_SERVICE.connect, requestDeserialize: (bytes: Buffer) => bytes } };
  server.addService(fleet, {
    connect(call: ServerDuplexStream<Buffer, ServerMessage>) {
      if (!admit(call)) return;
      state.fleet.add(call);
      call.on('close', () => state.fleet.delete(call));
      call.on('cancelled', () => state.fleet.delete(call));
      call.on('data', async (bytes: Buffer) => {
        state.statuses.push(agentStatus.decode(bytes));
        if (call.metadata.get(RECEIPTS_METADATA).length === 0) return;
        const signed = await signMessage(state, 'status', { bytes, agentId: agentOf(call) });
        if (!signed || call.cancelled) return;
        const { digest, receipt, receivedAtMs } = signed;
        const empty = { policy_json: '', run_now: false, renew_now: false };
        call.write({ ...empty, server_clock_ms: receivedAtMs, receipt_of: digest, receipt });
      });
      call.on('end', () => call.end());
      call.write({ policy_json: '', run_now: false, server_clock_ms: Date.now(), renew_now: false });
    },
  });
  const pair = { private_key: Buffer.from(state.leaf.key), cert_chain: Buffer.from(state.leaf.cert) };
  const credentials = ServerCredentials.createSsl(Buffer.from(pemOf(state.agentRoot.certificate)), [pair], true);
  return new Promise((resolve, reject) => {
    server.bindAsync(state.grpcAddr, credentials, (error, port) => {
      if (error) return reject(error);
      state.server = server;
      state.grpcAddr = `127.0.0.1:${port}`;
      resolve();
    });
  });
}

interface Subject {
  csr?: string;
  spki?: Buffer;
  /** Body of the request. */
  bytes: Buffer;
}

async function issue(state: State, agentId: string, { bytes, ...subject }: Subject) {
  const lifeMs = state.faults.leafLifeMs ?? 86_400_000;
  const uri = `spiffe://svc.local/tenant/default/agent/${agentId}`;
  const leaf = await signAgent(state.tenantCa, { ...subject, uri, lifeMs });
  state.keys.set(agentId, Buffer.from(leaf.publicKey.rawData));
  const signed = await signMessage(state, subject.csr === undefined ? 'renew' : 'enrol', { bytes, agentId });
  return {
    agent_id: agentId,
    tenant_id: 'default',
    chain: pemOf(leaf) + pemOf(state.tenantCa.certificate),
    grpc_ca: state.grpcCa,
    grpc_addr: state.advertised ?? state.grpcAddr,
    not_after: leaf.notAfter.toISOString(),
    ring: 'main',
    ...(signed && { receipt: signed.receipt.toString('base64'), received_at_ms: signed.receivedAtMs }),
  };
}

async function answer(state: State, path: string, bytes: Buffer): Promise<[number, object]> {
  const body = JSON.parse(bytes.toString('utf8'));
  if (path === '/agent/v1/enroll') {
    const request = EnrollRequest.parse(body);
    if (request.token !== state.token) return [401, { code: 'unauthorized', detail: 'The token is not valid here.' }];
    state.enrolments.push(request);
    return [200, await issue(state, randomUUID(), { csr: request.csr, bytes })];
  }
  const request = RenewRequest.parse(body);
  const skew = Math.abs(Date.parse(request.issued_at) - (Date.now() + (state.faults.clockSkewMs ?? 0)));
  if (skew > 300_000) return [400, { code: 'bad_request', detail: 'The clock is more than five minutes off.' }];
  const { renewRefusal } = state.faults;
  if (renewRefusal) return [renewRefusal.status, { code: renewRefusal.code, detail: 'This agent was revoked.' }];
  const spki = state.keys.get(request.agent_id);
  if (!spki) return [404, { code: 'not_found', detail: 'This agent is unknown here. Enrol it.' }];
  const key = { key: createPublicKey({ key: spki, format: 'der', type: 'spki' }), dsaEncoding: 'ieee-p1363' as const };
  if (!verify('sha256', Buffer.from(renewPayload(request)), key, Buffer.from(request.signature, 'base64')))
    return [401, { code: 'unauthorized', detail: 'Not signed by the enrolled key.' }];
  state.renewals += 1;
  return [200, await issue(state, request.agent_id, { spki, bytes })];
}

function serve(state: State, request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== 'POST') {
    response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
    return;
  }
  const parts: Buffer[] = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', async () => {
    const [code, document] = await answer(state, request.url ?? '', Buffer.concat(parts)).catch(
      (error: Error) => [400, { code: 'validation', detail: error.message }] as const,
    );
    response.setHeader('date', new Date(Date.now() + (state.faults.clockSkewMs ?? 0)).toUTCString());
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(document));
  });
}

export async function startControlPlane({
  ownCertificate = false,
}: ControlPlaneOptions = {}): Promise<ControlPlane & { serverCa: string }> {
  const [serverCa, agentRoot] = await Promise.all([createAuthority('server CA'), createAuthority('agents')]);
  const tenantCa = await createAuthority('tenant default', agentRoot);
  const leaf = await createServerLeaf(serverCa);
  const https = createServer({ key: leaf.key, cert: leaf.cert });
  await new Promise<void>((resolve) => https.listen(0, '127.0.0.1', resolve));
  const state: State = {
    url: `https://127.0.0.1:${(https.address() as AddressInfo).port}`,
    token: `svc_enr_${'a'.repeat(40)}${ownCertificate ? '' : `.${pinOfAuthority(serverCa)}`}`,
    grpcAddr: '127.0.0.1:0',
    advertised: undefined,
    received: [],
    statuses: [],
    enrolments: [],
    renewals: 0,
    faults: {},
    agentRoot,
    tenantCa,
    serverCa: pemOf(serverCa.certificate),
    grpcCa: ownCertificate ? '' : pemOf(serverCa.certificate),
    leaf,
    keys: new Map(),
    fleet: new Set(),
    server: undefined,
    say(message) {
      for (const call of state.fleet)
        call.write({ policy_json: '', run_now: false, server_clock_ms: Date.now(), renew_now: false, ...message });
    },
    cut: () => state.server?.forceShutdown(),
    async stopListening() {
      state.server?.forceShutdown();
      state.server = undefined;
    },
    listen: () => startGrpc(state),
    async changeAuthority() {
      const other = await createAuthority('another CA');
      state.leaf = await createServerLeaf(other);
      https.setSecureContext(state.leaf);
      await state.stopListening();
      await state.listen();
      return pemOf(other.certificate);
    },
    async close() {
      state.server?.forceShutdown();
      https.closeAllConnections();
      await new Promise((resolve) => https.close(resolve));
    },
  };
  https.on('request', (request, response) => serve(state, request, response));
  await startGrpc(state);
  return state;
}
