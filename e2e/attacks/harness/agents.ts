import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { agentStatus, type BatchAck, batchAck, resultBatch, type WireResult } from '@svc/contracts/agent/messages';
import { PROTOCOL_METADATA } from '@svc/contracts/agent/version';
import type { Credentials } from '@svc/desktop-agent/headless';
import { uuidv7 } from 'uuidv7';
import type { Door } from './ask.ts';

export const PUBLISH = '/svc.agent.v1.Results/Publish';
export const CONNECT = '/svc.agent.v1.Fleet/Connect';
export const LOAD = '/svc.agent.v1.LinkTest/Load';
export const LOAD_ECHO = '/svc.agent.v1.LinkTest/Echo';

const PREFIX_BYTES = 5;

export function frameOf(body: Buffer): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(body.length, 1);
  return Buffer.concat([prefix, body]);
}

export interface AgentStream {
  write(body: Buffer): void;
  /** Bytes that were written and not taken yet. */
  waiting(): number;
  messages: Buffer[];
  /** gRPC code, or why it was cut; undefined while it is open. */
  ended(): string | undefined;
  close(): void;
}

/** A connection as this agent, or as nobody; with a window of 0 it takes none of what it is answered. */
export function connectAgent(
  door: Door,
  credentials: Credentials | undefined,
  settings: { initialWindowSize?: number } = {},
): ClientHttp2Session {
  const own = credentials ? { key: credentials.keyPem, cert: credentials.identity.chain } : {};
  const session = connect(`https://127.0.0.1:${door.port}`, { ca: door.ca, servername: 'localhost', settings, ...own });
  session.on('error', () => {});
  return session;
}

export function openAgentStream(session: ClientHttp2Session, path: string): AgentStream {
  const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
  const stream: ClientHttp2Stream = session.request({ ...headers, [PROTOCOL_METADATA]: '1' }, { endStream: false });
  const messages: Buffer[] = [];
  let unread = Buffer.alloc(0);
  let end: string | undefined;
  const note = (got: object) => {
    const code = Reflect.get(got, 'grpc-status');
    if (code !== undefined) end = `grpc ${code}`;
  };
  stream.on('response', note);
  stream.on('trailers', note);
  stream.on('error', (error) => {
    end ??= String(error);
  });
  stream.on('close', () => {
    end ??= 'closed';
  });
  stream.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    while (unread.length >= PREFIX_BYTES && unread.length >= PREFIX_BYTES + unread.readUInt32BE(1)) {
      const length = unread.readUInt32BE(1);
      messages.push(unread.subarray(PREFIX_BYTES, PREFIX_BYTES + length));
      unread = unread.subarray(PREFIX_BYTES + length);
    }
  });
  return {
    write: (body) => void stream.write(frameOf(body)),
    waiting: () => stream.writableLength,
    messages,
    ended: () => end,
    close: () => stream.close(),
  };
}

export const makeResult = (change: Partial<WireResult> = {}): WireResult => ({
  ...{ result_id: Buffer.from(uuidv7().replaceAll('-', ''), 'hex'), canary_type: 'endpoint.gateway' },
  ...{
    server_address: '',
    server_port: 0,
    success: 1,
    error: '',
    started_at_us: Date.now() * 1000,
    duration_ms: 1,
    present: true,
  },
  ...{ metrics: { 'rtt.avg.ms': 1.5 }, attributes: {} },
  ...change,
});

export const encodeBatch = (sequence: number, results: WireResult[]): Buffer => resultBatch.encode({ sequence, results });

export const readAcks = ({ messages }: AgentStream): BatchAck[] => messages.map((bytes) => batchAck.decode(bytes));

export const makeStatus = (): Buffer =>
  agentStatus.encode({
    ...{ state: 'running', paused_until_ms: 0, agent_version: '0.1.0', os: 'linux', os_version: '', arch: 'x64', model: '' },
    ...{ policy_version: 0, spool_results: 0, spool_dropped: 0, device_name: '', clock_ms: Date.now(), disclosure_shown_at: '' },
    simulated: false,
  });
