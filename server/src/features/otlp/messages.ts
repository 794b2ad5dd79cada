import type { Signal } from '@svc/otlp-wire/walk';
import { type ConnectionBounds, type ConnectionCounts, OTLP_BOUNDS } from '#connections';
import type { TenantId } from '#kernel';
import type { RefusalReason } from './refusal.ts';
import type { TokenTable } from './token-gate.ts';

export interface ListenerTlsFiles {
  /** PEM. */
  key: string;
  cert: string;
}

export interface Address {
  host: string;
  port: number;
}

/** Bounds against senders that are slow, many or hostile. */
export interface ReceiverLimits {
  /** From a request's first byte to its last, milliseconds. */
  requestMs: number;
  /** Without any request, milliseconds. */
  idleMs: number;
  /** A sender that takes nothing of what waits for it, milliseconds. */
  stalledMs: number;
  /** Of each listener. */
  connections: ConnectionBounds;
  /** Addresses or networks behind which there are many senders. */
  trustedProxies: readonly string[];
}

export const DEFAULT_LIMITS: ReceiverLimits = {
  ...{ requestMs: 30_000, idleMs: 300_000, stalledMs: 20_000 },
  ...{ connections: OTLP_BOUNDS, trustedProxies: [] },
};

/** What the worker is started with. */
export interface ReceiverSettings {
  grpc: Address | undefined;
  http: Address | undefined;
  tls: ListenerTlsFiles;
  /** PEM authorities; with them every client shows a certificate of theirs, beside its token. */
  clientCa: string | undefined;
  /** Largest request after decompression. */
  maxBytes: number;
  /** Largest message of the bus. */
  maxMessageBytes: number;
  /** The bus writes checksums: those of many bytes are made while they are in the processor's cache. */
  makesCrc: boolean;
  tokens: TokenTable;
  limits: ReceiverLimits;
}

export interface BoundPorts {
  grpc: number | undefined;
  http: number | undefined;
}

/** Bytes within a piece of shared memory, by its number, with their crc32 where they are many; a copy where they are in none. */
export type Part = Place | (Place & { crc: number }) | Uint8Array;

interface Place {
  piece: number;
  start: number;
  bytes: number;
}

/** One accepted request, stamped, on its way to the bus. `parts` are lent until its result. */
export interface PublishJob {
  id: number;
  signal: Signal;
  tenant: TenantId;
  /** Receive time, Unix milliseconds. */
  at: number;
  /** Bytes that its tenant is charged: its own, or more where the store makes far more of them. */
  charge: number;
  parts: Part[];
}

/** How one job ended; without `fault` it is durable. */
export interface PublishResult {
  id: number;
  /** How long its answer is held back, milliseconds. */
  holdMs?: number;
  /** A sentence for the sender. */
  warning?: string;
  fault?: { reason: 'unavailable' | 'internal'; message: string; retryAfterSeconds: number };
}

/** By state; undefined for a listener that is not there. */
export type OpenConnections = Readonly<Record<'grpc' | 'http', ConnectionCounts | undefined>>;

/** What one token brought since the last report. */
export interface TokenUse {
  tenant: TenantId;
  tokenId: string;
  signal: Signal;
  requests: number;
  items: number;
  /** As received, after decompression. */
  bytes: number;
}

/** What was refused since the last report; `tenant` is undefined where no token told it. */
export interface RefusalCount {
  tenant: TenantId | undefined;
  reason: RefusalReason | 'out_of_time' | 'too_heavy';
  /** Requests; of the last two records, whose request was accepted. */
  count: number;
  message: string;
  /** Attributes of the resource to blame, never more of what was sent. */
  resource: Readonly<Record<string, string>> | undefined;
}

export interface Report {
  uses: TokenUse[];
  refusals: RefusalCount[];
  /** Open now, of each listener. */
  connections: OpenConnections;
}

export type ToWorker =
  | { type: 'tokens'; tokens: TokenTable; ack: number }
  /** `pieces` are numbers of those whose parts are durable, for the next ones. */
  | { type: 'results'; results: PublishResult[]; pieces: number[] }
  | { type: 'tls'; tls: ListenerTlsFiles }
  | { type: 'report'; ack: number }
  | { type: 'drain'; deadlineMs: number };

export type FromWorker =
  | { type: 'listening'; ports: BoundPorts }
  | { type: 'failed'; listener: 'grpc' | 'http'; code: string }
  /** `made` are new pieces, numbered on from those before. */
  | { type: 'publish'; jobs: PublishJob[]; made: SharedArrayBuffer[] }
  | { type: 'report'; report: Report; ack?: number }
  | { type: 'taken'; ack: number }
  | { type: 'drained' };
