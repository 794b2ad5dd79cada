import type { FastifyBaseLogger } from 'fastify';
import { type Clock, createTally, type TenantId } from '#kernel';
import type { Relational } from '#relational';
import { type Kind, type Note, readAdmitted, type TimedNote, writeNotes } from './store.ts';

const WRITE_EVERY_MS = 5000;
const DAY_MS = 86_400_000;

export interface LedgerDeps {
  relational: Relational;
  clock: Clock;
  log: FastifyBaseLogger;
}

function merge(known: TimedNote, note: TimedNote): void {
  known.bound = note.bound;
  known.folded += note.folded;
  known.leftOut += note.leftOut;
  known.firstAtMs = Math.min(known.firstAtMs, note.firstAtMs);
  known.lastAtMs = Math.max(known.lastAtMs, note.lastAtMs);
  if (note.admitted !== undefined) known.admitted = Math.max(known.admitted ?? 0, note.admitted);
  known.detail = note.detail ?? known.detail;
}

/** Keeps what tenants brought of bounded kinds: in memory at once, in PostgreSQL within seconds. What cannot be written waits, added up. */
export function createLedger({ relational, clock, log }: LedgerDeps) {
  const pending = new Map<TenantId, Map<string, TimedNote>>();
  const tally = createTally<`${Kind} ${'folded' | 'left_out'}`>();
  let timer: NodeJS.Timeout | undefined;
  const writing = new Map<TenantId, Promise<void>>();

  function keep(tenant: TenantId, note: TimedNote): void {
    const notes = pending.get(tenant) ?? new Map<string, TimedNote>();
    pending.set(tenant, notes);
    const key = `${note.day} ${note.kind}`;
    const known = notes.get(key);
    if (known) merge(known, note);
    else notes.set(key, { ...note });
  }

  async function write(tenant: TenantId): Promise<void> {
    const notes = pending.get(tenant);
    if (!notes) return;
    pending.delete(tenant);
    try {
      await relational.withSystemSql(tenant, (sql) => writeNotes(sql, tenant, notes.values()));
    } catch (err) {
      log.warn({ err, tenant }, 'what is beyond the bounds of a tenant could not be written; again in a while');
      for (const note of notes.values()) keep(tenant, note);
    }
  }

  /** Each tenant by itself: nobody waits for what others brought. */
  async function flush(tenant: TenantId): Promise<void> {
    const before = writing.get(tenant);
    if (!pending.has(tenant)) return await before;
    const mine = (before ?? Promise.resolve()).then(() => write(tenant));
    writing.set(tenant, mine);
    await mine;
    if (writing.get(tenant) === mine) writing.delete(tenant);
  }

  const flushAll = async (): Promise<void> => {
    await Promise.all([...new Set([...pending.keys(), ...writing.keys()])].map(flush));
  };

  return {
    note(tenant: TenantId, note: Omit<Note, 'day'> & { day?: number }): void {
      const nowMs = clock.now();
      tally.add(tenant, `${note.kind} folded`, note.folded);
      tally.add(tenant, `${note.kind} left_out`, note.leftOut);
      keep(tenant, { day: Math.floor(nowMs / DAY_MS), ...note, firstAtMs: nowMs, lastAtMs: nowMs });
    },
    /** What was admitted of a kind, by day since 1970; what this process noted is in it. */
    async admittedByDay(tenant: TenantId, kind: Kind): Promise<Map<number, number>> {
      await flush(tenant);
      return await relational.withSystemSql(tenant, (sql) => readAdmitted(sql, kind));
    },
    start(): void {
      timer = setInterval(() => void flushAll(), WRITE_EVERY_MS);
      timer.unref();
    },
    /** Writes what this process noted of one tenant. */
    flush,
    /** Since the start: words are a kind and what became of it. */
    counts: tally.read,
    async close(): Promise<void> {
      clearInterval(timer);
      await flushAll();
    },
  };
}

export type Ledger = ReturnType<typeof createLedger>;
