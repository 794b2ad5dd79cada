import type { ProbeAnswer } from './answer.ts';
import type { ProbeMethod } from './path.ts';

export interface ProbeSocketOptions {
  readonly destination: string;
  readonly family: 4 | 6;
  readonly method: ProbeMethod;
  /** Silence after which a probe counts as lost, for systems that keep the time themselves. */
  readonly timeoutMs: number;
  /** Scope of a link-local destination. */
  readonly scope?: number;
  /** Address that the probes leave from, where it is known. */
  readonly source?: string;
  /** Name of the interface that probes leave by, whatever the routes say; only Linux heeds it. */
  readonly through?: string;
  /** Size of each probe with its IP header, which no router may then fragment; default: 60 bytes over IPv4, 80 over IPv6. */
  readonly packetBytes?: number;
  /** What each carries behind its headers, where `packetBytes` says nothing; routers may fragment it. */
  readonly payloadBytes?: number;
  /** Called for each answer, also for late ones. */
  readonly onAnswer: (answer: ProbeAnswer) => void;
}

/** One unconnected datagram socket, or what a system has in its place, whose probes are told apart by their index. */
export interface ProbeSocket {
  /** Sends probe `index` (0 to 30000) with a TTL, or the system's default. Gives the sending time or the error's name. */
  send: (index: number, ttl?: number) => { sentAtMs: number } | { error: string };
  close: () => void;
}

const DEFAULT_PAYLOAD = 32;
const HEADERS = { 4: 20 + 8, 6: 40 + 8 } as const;

/** What a probe carries behind its IP and ICMP or UDP headers. */
export const payloadBytesOf = ({
  packetBytes,
  payloadBytes = DEFAULT_PAYLOAD,
  family,
}: Pick<ProbeSocketOptions, 'packetBytes' | 'payloadBytes' | 'family'>): number =>
  packetBytes === undefined ? payloadBytes : packetBytes - HEADERS[family];

/** Opens it and starts to listen for answers; the owner closes it. Throws where the system refuses. */
export type OpenProbeSocket = (options: ProbeSocketOptions) => ProbeSocket;
