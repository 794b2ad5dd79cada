import type { Reading } from '../reading.ts';

/** How probes travel: ICMP echo by a datagram socket, or UDP with the kernel's error queue. Both need no privilege. */
export type ProbeMethod = 'icmp' | 'udp';

export interface TraceRequest {
  /** Numeric IPv4 or IPv6 address. */
  readonly destination: string;
  /** Default: ICMP where the system permits it, else UDP. */
  readonly method?: ProbeMethod;
  /** 1 to 64, default 30. */
  readonly maxHops?: number;
  /** Probes for each hop, 1 to 100, default 3. */
  readonly rounds?: number;
  /** From one round's start to the next's, default 1000: routers answer about one a second. */
  readonly roundMs?: number;
  /** Silence after which a probe counts as lost, default 1000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface HopReading {
  /** Distance, from 1. */
  readonly ttl: number;
  /** Who answered; several where the path is balanced, none for a silent hop. */
  readonly addresses: readonly string[];
  readonly sent: number;
  readonly received: number;
  /** One for each answer, in the order of sending; kernel receive times. */
  readonly rttsMs: readonly number[];
  /** `destination`: it answered itself. `unreachable`: a router said that the path ends there. */
  readonly kind: 'hop' | 'destination' | 'unreachable' | 'silent';
}

export interface TraceReading {
  readonly destination: string;
  readonly family: 4 | 6;
  readonly method: ProbeMethod;
  readonly reached: boolean;
  /** From distance 1 to the last that answered, silent ones in between included. */
  readonly hops: readonly HopReading[];
  readonly sent: number;
  /** Name of the system's error when probes could not leave, such as ENETUNREACH. */
  readonly error?: string;
}

export interface GatewayPingRequest {
  /** Numeric address of the next hop. */
  readonly gateway: string;
  /** Scope of a link-local gateway. */
  readonly interfaceIndex?: number;
  /** Sends through this interface whatever the routes say: beneath a tunnel. Linux; elsewhere the route of this link decides. */
  readonly through?: string;
  /** Where UDP probes with TTL 1 are headed; they expire at the gateway. */
  readonly towards: string;
  readonly method?: ProbeMethod;
  /** 1 to 100. */
  readonly count: number;
  /** Default 200 with ICMP. UDP never goes faster than one a second after the first five: routers limit their errors. */
  readonly intervalMs?: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface PingReading {
  readonly method: ProbeMethod;
  readonly sent: number;
  readonly received: number;
  readonly rttsMs: readonly number[];
  readonly error?: string;
}

export interface SizeProbeRequest {
  /** Numeric IPv4 or IPv6 address. */
  readonly destination: string;
  readonly method?: ProbeMethod;
  /** Sizes of whole IP packets, bytes; at most 16, each 80 to 9000. */
  readonly sizes: readonly number[];
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** What came of one packet that no router may fragment. */
export interface SizeReading {
  readonly packetBytes: number;
  readonly arrived: boolean;
  /** Somebody said that it does not fit: a router, or this host's own interface. Else silence is silence. */
  readonly told: boolean;
}

export interface EchoRequest {
  /** Numeric IPv4 or IPv6 address. */
  readonly destination: string;
  /** 1 to 100, default 4. */
  readonly count?: number;
  /** From one to the next, default 200. */
  readonly intervalMs?: number;
  /** Silence after which one counts as lost, default 1000. */
  readonly timeoutMs?: number;
  /** Behind the ICMP header, 8 to 1400, default 56. */
  readonly payloadBytes?: number;
  readonly signal?: AbortSignal;
}

export interface EchoReading {
  readonly sent: number;
  /** One for each that was sent; undefined: no answer of the host itself. Kernel receive times. */
  readonly rttsMs: readonly (number | undefined)[];
  /** A router on the way said that the host cannot be reached. */
  readonly unreachable?: boolean;
  readonly toldBy?: string;
  /** Name of the system's error when one could not leave. */
  readonly error?: string;
}

/** Whether this user may send echo requests; where not, the error's name. */
export type TryEcho = (family: 4 | 6) => { readonly allowed: true } | { readonly allowed: false; readonly error: string };

/** Resolves with what was measured; rejects with the signal's reason when aborted, with a RangeError on bad input. */
export type TracePath = (request: TraceRequest) => Promise<Reading<TraceReading>>;
export type ProbeSizes = (request: SizeProbeRequest) => Promise<Reading<readonly SizeReading[]>>;
export type PingGateway = (request: GatewayPingRequest) => Promise<Reading<PingReading>>;
export type EchoHost = (request: EchoRequest) => Promise<Reading<EchoReading>>;
