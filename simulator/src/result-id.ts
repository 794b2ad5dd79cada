import { hashOf } from './domain/random.ts';

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0').slice(-digits);

/**
 * A UUIDv7 that is the same whenever the same measurement of the same device is made again, so that a backfill that is repeated
 * stores nothing twice.
 */
export function createResultIds(agentId: string, seed: number): (startedAtMs: number, what: string) => string {
  return (startedAtMs, what) => {
    const time = hex(startedAtMs, 12);
    const one = hashOf(seed, agentId, startedAtMs, what);
    const two = hashOf(what, one, agentId);
    const variant = hex(0x8 + (two & 3), 1);
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(one, 3)}-${variant}${hex(two >>> 4, 3)}-${hex(one >>> 8, 4)}${hex(Math.imul(two, 31) >>> 0, 8)}`;
  };
}
