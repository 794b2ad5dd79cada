import type { HopView, Measured, PathView, SessionView } from '@svc/contracts/agent/ipc';
import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import { targetOf } from '@svc/contracts/results/result-target';
import { UNAVAILABLE_CODES, type UnavailableCode } from '@svc/contracts/verdict';
import type { Collect } from '../privacy/collect.ts';
import { mayAddressLeave } from '../privacy/minimise.ts';
import type { EndpointResult } from '../result.ts';

const MAX_WORD = 256;
const MAX_HOPS = 64;
const SEGMENTS = ['local', 'isp-edge', 'beyond'] as const;

const atMsOf = (result: EndpointResult): number => Math.max(0, Date.parse(result.started_at));

const codeOf = (word: string | undefined): UnavailableCode | null => UNAVAILABLE_CODES.find((code) => code === word) ?? null;

/** A metric of the newest result, or why it is missing; both null where nothing is known yet. */
export function measuredOf(result: EndpointResult | undefined, key: string): Measured {
  const value = result?.metrics[key] ?? null;
  if (value !== null) return { value, unavailable: null };
  // A signal that is absent as a whole gives one reason under one key.
  const own = codeOf(result?.attributes[`unavailable.${key}`]);
  const whole =
    result?.present === false ? Object.entries(result.attributes).find(([name]) => name.startsWith('unavailable.')) : undefined;
  return { value: null, unavailable: own ?? codeOf(whole?.[1]) };
}

function hopOf(result: EndpointResult, hop: number, collect: Readonly<Collect>): HopView {
  const address = result.attributes[`hop.${hop}.address`] ?? null;
  const rttMs = result.metrics[`hop.${hop}.rtt.avg.ms`] ?? null;
  return {
    hop,
    segment: SEGMENTS.find((segment) => segment === result.attributes[`hop.${hop}.segment`]) ?? null,
    address: address?.slice(0, MAX_WORD) ?? null,
    shared: address !== null && mayAddressLeave(address, collect),
    rttMs,
    lossRatio: result.metrics[`hop.${hop}.packet.loss.ratio`] ?? null,
  };
}

/** A trace as its own device may see it: all addresses, each with whether it leaves. */
export function pathView(result: EndpointResult, collect: Readonly<Collect>): PathView {
  const count = Math.min(MAX_HOPS, result.metrics.hops ?? 0);
  return {
    target: (result.server_address ?? '').slice(0, MAX_WORD),
    atMs: atMsOf(result),
    reached: result.attributes[ATTRIBUTES.traceReached] === 'true',
    hops: Array.from({ length: count }, (_, i) => hopOf(result, i + 1, collect)),
  };
}

export function sessionView(result: EndpointResult, typicalMs: number | null): SessionView {
  const phase = result.attributes[ATTRIBUTES.errorPhase];
  return {
    target: targetOf(result).slice(0, MAX_WORD),
    role: result.attributes[ATTRIBUTES.sessionRole] === 'control_plane' ? 'control_plane' : 'target',
    atMs: atMsOf(result),
    success: result.success === true,
    error:
      result.error === undefined
        ? null
        : [phase, result.error]
            .filter((word) => word !== undefined)
            .join(' ')
            .slice(0, MAX_WORD),
    totalMs: result.metrics['total.ms'] ?? null,
    typicalMs,
  };
}
