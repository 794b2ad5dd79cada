import { PbfReader, PbfWriter } from 'pbf';
import * as codec from '../generated/agent-codec.js';

/**
 * The messages of proto/agent.proto as they look in code; see the comments there for units and bounds. What was added to the first
 * protocol is optional: a sender may leave it out, and a read message has it as '', 0 or [].
 */
export interface WireResult {
  result_id: Uint8Array;
  canary_type: string;
  server_address: string;
  server_port: number;
  success: number;
  error: string;
  started_at_us: number;
  duration_ms: number;
  present: boolean;
  metrics: Record<string, number>;
  attributes: Record<string, string>;
}

export interface ResultBatch {
  sequence: number;
  results: WireResult[];
}

export interface BatchAck {
  sequence: number;
  accepted: number;
  rejected: number;
  rejected_reasons: string[];
  receipt?: Uint8Array;
  received_at_ms?: number;
}

export interface AgentStatus {
  state: string;
  paused_until_ms: number;
  agent_version: string;
  os: string;
  os_version: string;
  arch: string;
  model: string;
  policy_version: number;
  spool_results: number;
  spool_dropped: number;
  device_name: string;
  clock_ms: number;
  disclosure_shown_at: string;
  simulated: boolean;
  face?: string;
  missing_permissions?: readonly string[];
  disclosure?: string;
  site?: string;
  owner_email?: string;
}

export interface ServerMessage {
  policy_json: string;
  run_now: boolean;
  server_clock_ms: number;
  renew_now: boolean;
  ring?: string;
  organisation?: string;
  readers?: number;
  kept_days?: number;
  shared_json?: string;
  receipt_of?: Uint8Array;
  receipt?: Uint8Array;
}

/** Bounds of one batch; a sender cuts below them, the server refuses above them. */
export const BATCH_BOUNDS = { results: 1000, bytes: 1024 * 1024 } as const;

interface Codec<T> {
  encode(message: T): Buffer;
  /** Throws on bytes that are no such message. */
  decode(bytes: Uint8Array): T;
}

const codecOf = <T>(read: (pbf: PbfReader) => unknown, write: (message: T, pbf: PbfWriter) => void): Codec<T> => ({
  encode(message) {
    const pbf = new PbfWriter();
    write(message, pbf);
    const bytes = pbf.finish();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  },
  decode: (bytes) => read(new PbfReader(bytes)) as T,
});

export const wireResult = codecOf<WireResult>(codec.readResult, codec.writeResult);
export const resultBatch = codecOf<ResultBatch>(codec.readResultBatch, codec.writeResultBatch);
export const batchAck = codecOf<BatchAck>(codec.readBatchAck, codec.writeBatchAck);
export const agentStatus = codecOf<AgentStatus>(codec.readAgentStatus, codec.writeAgentStatus);
export const serverMessage = codecOf<ServerMessage>(codec.readServerMessage, codec.writeServerMessage);

/** gRPC service definitions in the shape that @grpc/grpc-js takes, for client and server alike. */
export const RESULTS_SERVICE = {
  publish: {
    path: '/svc.agent.v1.Results/Publish',
    requestStream: true,
    responseStream: true,
    requestSerialize: resultBatch.encode,
    requestDeserialize: resultBatch.decode,
    responseSerialize: batchAck.encode,
    responseDeserialize: batchAck.decode,
  },
} as const;

export const FLEET_SERVICE = {
  connect: {
    path: '/svc.agent.v1.Fleet/Connect',
    requestStream: true,
    responseStream: true,
    requestSerialize: agentStatus.encode,
    requestDeserialize: agentStatus.decode,
    responseSerialize: serverMessage.encode,
    responseDeserialize: serverMessage.decode,
  },
} as const;
