import { addressBytes } from '../ffi/address.ts';
import type { ControlMessages } from '../ffi/control-message.ts';
import { LINUX } from '../ffi/layout/linux.ts';
import type { Endpoint } from '../ffi/sockaddr.ts';
import type { ProbeMethod } from './path.ts';

/** UDP probes carry their index as distance from this port, the classic one of traceroute. */
export const BASE_PORT = 33434;

const { SO_EE_ORIGIN_ICMP, SO_EE_ORIGIN_ICMP6 } = LINUX.constants;
const ICMP = { echoReply: 0, unreachable: 3, exceeded: 11, portCode: 3 } as const;
const ICMPV6 = { echoReply: 129, unreachable: 1, exceeded: 3, portCode: 4 } as const;

/** One message off a probing socket. */
export interface Received extends ControlMessages {
  readonly queue: 'error' | 'data';
  readonly data: Buffer;
  /** Error queue: where the probe was headed. Data: who answered. */
  readonly peer: Endpoint | undefined;
}

export interface ProbeAnswer {
  readonly index: number;
  readonly address: string | undefined;
  /** `refused`: this very host could not send it on (no neighbour, no route). */
  readonly kind: 'exceeded' | 'destination' | 'unreachable' | 'refused';
  /** Kernel receive time, Unix milliseconds. */
  readonly receivedAtMs: number | undefined;
}

export interface AnswerContext {
  readonly destination: string;
  readonly family: 4 | 6;
  readonly method: ProbeMethod;
  /** Address that the probes leave from, where it is known. */
  readonly source?: string;
}

/** What a received message says of a probe; undefined for what belongs to none. */
export function answerOf(received: Received, context: AnswerContext): ProbeAnswer | undefined {
  const index = indexOf(received, context.method);
  if (index === undefined) return undefined;
  const { receivedAtMs } = received;
  if (received.queue === 'data') return echoAnswer(received, context, index);
  const error = received.error;
  if (!error) return undefined;
  if (error.origin !== SO_EE_ORIGIN_ICMP && error.origin !== SO_EE_ORIGIN_ICMP6) {
    return { index, address: undefined, kind: 'refused', receivedAtMs };
  }
  const types = context.family === 6 ? ICMPV6 : ICMP;
  const address = error.offender;
  // A next hop that cannot be found makes this host say "unreachable" to itself: that is no answer of the path.
  if (address !== undefined && context.source !== undefined && sameAddress(address, context.source)) {
    return { index, address: undefined, kind: 'refused', receivedAtMs };
  }
  if (error.type === types.exceeded) return { index, address, kind: 'exceeded', receivedAtMs };
  const atPort = error.type === types.unreachable && error.code === types.portCode;
  // A firewall on the way may also say "port unreachable": only the destination's own word means that it was reached.
  const arrived = atPort && address !== undefined && sameAddress(address, context.destination);
  return { index, address, kind: arrived ? 'destination' : 'unreachable', receivedAtMs };
}

function echoAnswer(received: Received, context: AnswerContext, index: number): ProbeAnswer | undefined {
  const reply = context.family === 6 ? ICMPV6.echoReply : ICMP.echoReply;
  if (context.method !== 'icmp' || received.data.readUInt8(0) !== reply) return undefined;
  return { index, address: received.peer?.address, kind: 'destination', receivedAtMs: received.receivedAtMs };
}

function indexOf(received: Received, method: ProbeMethod): number | undefined {
  if (method === 'icmp') return received.data.length < 8 ? undefined : received.data.readUInt16BE(6);
  const index = (received.peer?.port ?? 0) - BASE_PORT;
  return index >= 0 ? index : undefined;
}

const sameAddress = (one: string, other: string): boolean => addressBytes(one).equals(addressBytes(other));
