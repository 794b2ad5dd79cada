import type { FastifyBaseLogger } from 'fastify';
import type { Clock, TenantId } from '#kernel';
import type { Packet } from './domain/export-queue.ts';
import type { SendOutcome } from './sender.ts';

/** What became of one owner's points since this process began; times are Unix milliseconds. */
export interface ExportTally {
  sent: number;
  dropped: number;
  lastSentAtMs: number | undefined;
  lastError: { atMs: number; words: string } | undefined;
}

export type OwnedTally = ExportTally & { owner: string };

const newTally = (): ExportTally => ({ sent: 0, dropped: 0, lastSentAtMs: undefined, lastError: undefined });

/** Counts for this process' own metrics (no tenant) and for each tenant; tells the log when the collector begins or ceases to take them. */
export function createTallies(clock: Clock, log: FastifyBaseLogger) {
  const tallies = new Map<TenantId | undefined, ExportTally>();
  let working: boolean | undefined;

  const of = (tenant: TenantId | undefined): ExportTally => {
    const tally = tallies.get(tenant) ?? newTally();
    tallies.set(tenant, tally);
    return tally;
  };
  const tell = (outcome: SendOutcome): void => {
    if (working === outcome.ok) return;
    working = outcome.ok;
    if (outcome.ok) log.info('the collector takes metrics');
    else log.warn({ words: outcome.words }, 'the collector does not take metrics');
  };
  return {
    note(tenant: TenantId | undefined, points: number, outcome: SendOutcome): void {
      const tally = of(tenant);
      tell(outcome);
      if (outcome.ok) {
        tally.sent += points;
        tally.lastSentAtMs = clock.now();
        return;
      }
      tally.lastError = { atMs: clock.now(), words: outcome.words };
      if (outcome.retry) return;
      const rejected = outcome.rejected ?? points;
      tally.dropped += rejected;
      tally.sent += points - rejected;
    },
    drop(tenant: TenantId | undefined, points: number): void {
      of(tenant).dropped += points;
    },
    dropPackets(packets: readonly Packet[]): void {
      for (const { tenant, points } of packets) of(tenant).dropped += points.length;
    },
    read: (tenant: TenantId | undefined): Readonly<ExportTally> => tallies.get(tenant) ?? newTally(),
    all: (): OwnedTally[] => [...tallies].map(([tenant, tally]) => ({ owner: tenant ?? 'own', ...tally })),
  };
}
