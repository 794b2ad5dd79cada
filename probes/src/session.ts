/** Where a session failed. */
export type SessionPhase = 'dns' | 'connect' | 'proxy' | 'tls' | 'request' | 'body' | 'redirect';

export interface SessionRequest {
  /** http or https. */
  readonly url: string;
  /** For the whole session with its redirects, default 10000. */
  readonly timeoutMs?: number;
  /** Default 5. */
  readonly maxRedirects?: number;
  /** Reading stops here, default 65536. */
  readonly maxBytes?: number;
  /** PEM certificates trusted beside Node's and the system's own. */
  readonly ca?: readonly string[];
  /** Gives `http://host:port` of the proxy for a URL, or null for none. */
  readonly proxyFor?: (url: string) => Promise<string | null>;
  readonly signal?: AbortSignal;
}

/** One try of happy eyeballs. */
export interface ConnectAttempt {
  readonly family: 4 | 6;
  /** Since the connect phase began. */
  readonly atMs: number;
  /** Code of the failure; absent on the one that won. */
  readonly error?: string;
}

/** A cold session: no kept connection, no resumed TLS, no cache. Phases are summed over redirects; null: not reached or not part. */
export interface SessionMeasurement {
  readonly url: string;
  readonly success: boolean;
  readonly status: number | null;
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly tlsMs: number | null;
  /** From the request to the answer's first byte. */
  readonly ttfbMs: number | null;
  /** From the start to the last byte read, or to the failure. */
  readonly totalMs: number;
  readonly redirects: number;
  readonly bytes: number;
  readonly family: 4 | 6 | null;
  readonly serverPort: number | null;
  readonly viaProxy: boolean;
  readonly attempts: readonly ConnectAttempt[];
  readonly errorPhase: SessionPhase | null;
  /** Short code such as ENOTFOUND, ECONNREFUSED, ETIMEDOUT, CERT_HAS_EXPIRED, PROXY_407, HTTP_500. */
  readonly error: string | null;
}

/** Success is an answer below 400. Rejects only on a URL that is none (RangeError) or when aborted (the signal's reason). */
export type MeasureSession = (request: SessionRequest) => Promise<SessionMeasurement>;
