import type { FaultKind } from '@svc/contracts/fault-kinds';
import type { Thresholds } from '@svc/contracts/verdict';
import type { Found } from './found.ts';
import { slowSessions } from './network-layer.ts';
import type { Readings, SessionReading } from './readings.ts';
import { sessionFault } from './session-fault.ts';

/** The session that a verdict speaks of, why it is slow, and why another one is. */
export interface Spoken {
  session: SessionReading;
  found: Found;
  /** Of another kind. */
  also?: Found;
}

/** What one service has by itself: where most others are slow for another reason, it is the odd one. */
const OF_ITSELF: readonly FaultKind[] = ['certificate', 'service_error', 'service_unreachable'];

/** Said beside another fault only where it is no guess. */
const SURE_ENOUGH = 0.6;

/**
 * The session furthest beyond its limit, one that failed first; but what hurts more services goes before what one of them has by itself.
 * Undefined where none is slow.
 */
export function speakOf(readings: Readings, t: Thresholds): Spoken | undefined {
  const told = slowSessions(readings, t).map((session) => ({ session, found: sessionFault(session, readings, t) }));
  const [worst] = told;
  if (!worst) return undefined;
  const { kind } = worst.found.fault;
  const others = told.filter(({ found }) => found.fault.kind !== kind);
  const isOdd = OF_ITSELF.includes(kind) && others.length > told.length - others.length;
  const first = (isOdd ? others[0] : undefined) ?? worst;
  const second = told.find(({ found }) => found.fault.kind !== first.found.fault.kind && found.sureness >= SURE_ENOUGH);
  return second ? { ...first, also: second.found } : first;
}
