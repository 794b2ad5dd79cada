import { PbfReader, PbfWriter } from 'pbf';
import * as codec from '../generated/runner-codec.js';

/** The messages of proto/runner.proto as they look in code; see the comments there. A part of a message that is not there is undefined. */

export interface SealedSecretMessage {
  name: string;
  hosts: string[];
  sealed: Uint8Array;
}
export interface PlannedTestMessage {
  test_json: Uint8Array;
  secrets: SealedSecretMessage[];
}
export interface PlanPart {
  revision: number;
  anew: boolean;
  put: PlannedTestMessage[];
  removed: string[];
  last: boolean;
}
export interface RunRequest {
  id: string;
  planned: PlannedTestMessage;
}
export interface ToRunner {
  server_clock_ms: number;
  plan?: PlanPart | undefined;
  run?: RunRequest | undefined;
  renew_now?: boolean;
}
export interface RunnerStatus {
  version: string;
  lacks_json: string;
  cpu_ratio: number;
  rss_bytes: number;
  spool_results: number;
  spool_dropped: number;
  clock_ms: number;
  plan_revision: number;
  tests: number;
}
export interface RunProgress {
  request_id: string;
  phase: string;
  ms: number;
}
export interface RunAnswer {
  request_id: string;
  report_json: Uint8Array;
  error: string;
}
export interface FromRunner {
  status?: RunnerStatus | undefined;
  progress?: RunProgress | undefined;
  answer?: RunAnswer | undefined;
}
export interface ReportBatch {
  sequence: number;
  reports: Uint8Array[];
}
export interface ReportAck {
  sequence: number;
  accepted: number;
  rejected: number;
  rejected_reasons: string[];
}

/** Bounds of what is sent; a sender cuts below them, the server refuses above them. */
export const RUNNER_BOUNDS = {
  /** Of a batch of reports. */
  reports: 500,
  reportBytes: 1024 * 1024,
  /** Of one part of a plan. */
  planBytes: 256 * 1024,
  planTests: 200,
} as const;

const codecOf = <T>(read: (pbf: PbfReader) => unknown, write: (message: T, pbf: PbfWriter) => void) => ({
  encode(message: T): Buffer {
    const pbf = new PbfWriter();
    write(message, pbf);
    const bytes = pbf.finish();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  },
  /** Throws on bytes that are no such message. */
  decode: (bytes: Uint8Array): T => read(new PbfReader(bytes)) as T,
});

export const toRunner = codecOf<ToRunner>(codec.readToRunner, codec.writeToRunner);
export const fromRunner = codecOf<FromRunner>(codec.readFromRunner, codec.writeFromRunner);
export const reportBatch = codecOf<ReportBatch>(codec.readReportBatch, codec.writeReportBatch);
export const reportAck = codecOf<ReportAck>(codec.readReportAck, codec.writeReportAck);

/** In the shape that @grpc/grpc-js takes, for client and server alike. */
export const RUNNER_SERVICE = {
  connect: {
    path: '/svc.runner.v1.Runner/Connect',
    requestStream: true,
    responseStream: true,
    requestSerialize: fromRunner.encode,
    requestDeserialize: fromRunner.decode,
    responseSerialize: toRunner.encode,
    responseDeserialize: toRunner.decode,
  },
  publish: {
    path: '/svc.runner.v1.Runner/Publish',
    requestStream: true,
    responseStream: true,
    requestSerialize: reportBatch.encode,
    requestDeserialize: reportBatch.decode,
    responseSerialize: reportAck.encode,
    responseDeserialize: reportAck.decode,
  },
} as const;
