import { isCovered, isMeasuring } from './fault.ts';
import type { JudgedVerdict } from './read-verdict.ts';

/** How well a device is: `measuring`, `partial` and `off` are no reason for a green light, though nothing that a person uses is slow. */
export const HEALTHS = ['healthy', 'measuring', 'partial', 'off', 'slow'] as const;
export type Health = (typeof HEALTHS)[number];

/** Green is for devices of which all was measured that they have, and nothing is off. An agent too old to say what it measured is taken at its word. */
export function healthOf({ cause, fault = null, coverage = null }: Pick<JudgedVerdict, 'cause' | 'fault' | 'coverage'>): Health {
  if (cause !== 'none') return 'slow';
  if (fault !== null) return 'off';
  if (coverage === null || isCovered(coverage)) return 'healthy';
  return isMeasuring(coverage) ? 'measuring' : 'partial';
}
