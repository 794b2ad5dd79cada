import type { FastifyBaseLogger } from 'fastify';
import { type Clock, type Count, createTally, ingestCounts, type TenantId } from '#kernel';
import type { Relational } from '#relational';
import { addUnknown, type Counted, type CountedWord, writeCounted } from './counter-store.ts';

const TICK_MS = 250;
/** Of one tenant: what came is shown within a second, and a flood is one row a second. */
const WRITE_EVERY_MS = 1000;
/** Counts that a tenant's apps have apart until they are written; beyond, refusals count without their fields. */
const MAX_APART = 50;

export interface CountersDeps {
  relational: Relational;
  clock: Clock;
  log: FastifyBaseLogger;
}

interface Came {
  tenant: TenantId;
  /** '' where no app is known. */
  app: string;
  word: CountedWord;
  field?: string | undefined;
}

/** What came and what was refused: in memory at once, in PostgreSQL within a second. What cannot be written waits, counted together. */
export function createCounters({ relational, clock, log }: CountersDeps) {
  const pending = new Map<TenantId, Map<string, Counted>>();
  const writtenAtMs = new Map<TenantId, number>();
  const tally = createTally<CountedWord>();
  let unknown = 0;
  let unknownSinceStart = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function put(tenant: TenantId, counted: Counted): void {
    const of = pending.get(tenant) ?? new Map<string, Counted>();
    pending.set(tenant, of);
    const field = of.size < MAX_APART ? counted.field : '';
    const key = `${counted.app}\n${counted.word}\n${field}`;
    const known = of.get(key);
    if (!known) return void of.set(key, { ...counted, field });
    known.count += counted.count;
    known.firstAtMs = Math.min(known.firstAtMs, counted.firstAtMs);
    known.lastAtMs = Math.max(known.lastAtMs, counted.lastAtMs);
  }

  const writeTenant = async (tenant: TenantId): Promise<void> => {
    const taken = pending.get(tenant);
    if (!taken) return;
    pending.delete(tenant);
    writtenAtMs.set(tenant, performance.now());
    try {
      await relational.withSystemSql(tenant, (sql) => writeCounted(sql, tenant, [...taken.values()]));
    } catch (error) {
      log.warn({ err: error, tenant }, 'what came of real users could not be counted; again in a while');
      for (const counted of taken.values()) put(tenant, counted);
    }
  };

  const writeUnknown = async (): Promise<void> => {
    if (unknown === 0) return;
    const count = unknown;
    unknown = 0;
    await addUnknown(relational, { at: new Date(clock.now()), count }).catch((error: unknown) => {
      unknown += count;
      log.warn({ err: error }, 'beacons with unknown keys could not be counted; again in a while');
    });
  };

  const writeDue = (isDue: (tenant: TenantId) => boolean): Promise<void> => {
    writing = writing.then(async () => {
      await writeUnknown();
      for (const tenant of [...pending.keys()]) if (isDue(tenant)) await writeTenant(tenant);
    });
    return writing;
  };
  const wasQuiet = (tenant: TenantId) =>
    performance.now() - (writtenAtMs.get(tenant) ?? Number.NEGATIVE_INFINITY) >= WRITE_EVERY_MS;

  return {
    add({ tenant, app, word, field = '' }: Came): void {
      const atMs = clock.now();
      tally.add(tenant, word);
      put(tenant, { app, word, field, count: 1, firstAtMs: atMs, lastAtMs: atMs });
    },
    /** Of a key that nobody ever had, or of a body that no key could be read in. */
    addUnknown(): void {
      unknown++;
      unknownSinceStart++;
    },
    start(): void {
      timer = setInterval(() => void writeDue(wasQuiet), TICK_MS);
      timer.unref();
    },
    /** Writes what waits, so that who asks reads it. */
    flush: (tenant: TenantId): Promise<void> => writeDue((one) => one === tenant),
    /** For operations. */
    counts: (): Count[] => {
      const beacons = tally.read().filter(({ word }) => word !== 'script');
      return [
        ...ingestCounts(beacons, { source: 'rum', success: 'accepted' }),
        { name: 'svc.ingest.refused', value: unknownSinceStart, attributes: { source: 'rum', reason: 'unknown_key' } },
      ];
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await writeDue(() => true);
    },
  };
}

export type Counters = ReturnType<typeof createCounters>;
