import type { Socket } from 'node:net';

/** One call to the outside, and what came of it. */
export interface OutboundRequest {
  /** https; http is taken for a local address alone. Without user, password and fragment. */
  url: string;
  /** What for, as logs and metrics name it: `model`. */
  purpose: string;
  /** Whose call it is: names of one are looked up beside those of others. Left out: the installation's. */
  share?: string | undefined;
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Credentials stand here or in the URL's path; neither is ever logged. */
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** From the look-up of the name to the last byte. */
  timeoutMs?: number;
  /** Of the answer's body. */
  maxBytes?: number;
  signal?: AbortSignal;
  /** Refuses whatever is not this machine's own loopback, and leaves the proxy out. */
  localOnly?: boolean;
}

export const OUTBOUND_FAULTS = [
  /** The URL, or what it needs, is not allowed. */
  'url',
  /** The address may not be dialled. */
  'address_refused',
  'name_not_found',
  'connect',
  /** No TLS, or a certificate that is not trusted. */
  'tls',
  'proxy',
  'timeout',
  'aborted',
  /** The connection ended before the answer did. */
  'cut',
  'too_large',
  'redirect',
  /** An answer in an encoding that was not asked for. */
  'encoding',
] as const;
export type OutboundFault = (typeof OUTBOUND_FAULTS)[number];

export interface OutboundAnswer {
  ok: true;
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** Whether it never left this machine. */
  isLocal: boolean;
}

export interface OutboundFailure {
  ok: false;
  fault: OutboundFault;
  /** Safe to show: names the host and never the path, a header or what was sent. */
  message: string;
  /** Whether the other side may have got the request: it is not to be repeated blindly. */
  mayHaveArrived: boolean;
}

/** A connection for another protocol than HTTP. */
export interface ConnectRequest {
  host: string;
  port: number;
  /** Of the protocol: those that an entry of SVC_OUTBOUND_ALLOW without a port opens. */
  usualPorts: readonly number[];
  purpose: string;
  /** With TLS on it already, its certificate checked for the host; else the caller begins it. */
  isSecure?: boolean;
  share?: string | undefined;
  /** From the look-up of the name until it is there. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface OutboundConnection {
  ok: true;
  socket: Socket;
  /** PEM of those whose certificates are trusted. */
  ca: readonly string[];
}

export type OutboundResult = OutboundAnswer | OutboundFailure;

/** Thrown inside of this folder alone: `send` gives it as a result. */
export class OutboundError extends Error {
  readonly fault: OutboundFault;

  constructor(fault: OutboundFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'OutboundError';
    this.fault = fault;
  }
}
