import type { Signal, Walked } from '@svc/otlp-wire/walk';
import type { RefusalCount, Report, TokenUse } from './messages.ts';
import type { Refusal } from './refusal.ts';
import type { TokenEntry } from './token-gate.ts';

/** Examples are read from what a sender chose to send: once a second for each tenant and reason is enough. */
const EXAMPLE_EVERY_MS = 1000;

export interface Used {
  signal: Signal;
  items: number;
  bytes: number;
}

type LeftOut = Pick<Walked, 'rejected' | 'tooHeavy' | 'reasons'>;

/** Counts between two reports. Bounded by the number of tokens and tenants, never by what is sent. */
export function createCounters(nowMs: () => number = Date.now) {
  const newUses = (): Record<Signal, Map<string, TokenUse>> => ({ traces: new Map(), logs: new Map(), metrics: new Map() });
  const listUses = (): TokenUse[] => Object.values(uses).flatMap((ofSignal) => [...ofSignal.values()]);
  let uses = newUses();
  let refusals = new Map<string, RefusalCount>();
  const examples = new Map<string, number>();

  const countRefusal = (entry: TokenEntry | undefined, change: Omit<RefusalCount, 'tenant'>) => {
    const key = `${entry?.tenant ?? ''}/${change.reason}`;
    const known = refusals.get(key);
    if (!known) refusals.set(key, { tenant: entry?.tenant, ...change });
    else {
      known.count += change.count;
      known.message = change.message;
      known.resource = change.resource ?? known.resource;
    }
  };

  return {
    used({ id, tenant }: TokenEntry, { signal, items, bytes }: Used): void {
      const use = uses[signal].get(id) ?? { tenant, tokenId: id, signal, requests: 0, items: 0, bytes: 0 };
      use.requests += 1;
      use.items += items;
      use.bytes += bytes;
      uses[signal].set(id, use);
    },
    /** Records that were left out of a request that was accepted. */
    leftOut(entry: TokenEntry, { rejected, tooHeavy, reasons }: LeftOut): void {
      const [late, heavy] = [rejected - tooHeavy, tooHeavy];
      if (late > 0) countRefusal(entry, { reason: 'out_of_time', count: late, message: reasons.outOfTime, resource: undefined });
      if (heavy > 0) countRefusal(entry, { reason: 'too_heavy', count: heavy, message: reasons.tooHeavy, resource: undefined });
    },
    /** `readResource` is asked only where an example is due. */
    refused(refusal: Refusal, entry: TokenEntry | undefined, readResource?: () => Record<string, string> | undefined): void {
      const { reason, message } = refusal;
      const key = `${entry?.tenant ?? ''}/${reason}`;
      const isDue = readResource && Math.abs(nowMs() - (examples.get(key) ?? 0)) >= EXAMPLE_EVERY_MS;
      if (isDue) examples.set(key, nowMs());
      countRefusal(entry, { reason, count: 1, message, resource: isDue ? readResource() : undefined });
    },
    isEmpty: () => listUses().length === 0 && refusals.size === 0,
    take(): Omit<Report, 'connections'> {
      const taken = { uses: listUses(), refusals: [...refusals.values()] };
      uses = newUses();
      refusals = new Map();
      return taken;
    },
  };
}

export type Counters = ReturnType<typeof createCounters>;
