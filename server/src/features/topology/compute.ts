import { randomInt } from 'node:crypto';
import type { Clock, TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';
import { groupMinutes } from './domain/group-minutes.ts';
import { CLOSED_AFTER_MS, MAX_EDGES, MAX_SPANS } from './edge-rules.ts';
import {
  ANSWERS,
  BEYOND,
  COUNT_SPANS,
  DUE,
  FLOWS,
  MARK,
  MINUTES,
  NEWEST_VERSION,
  OUTSIDE,
  SERVICES,
  stretchParams,
} from './edge-sql.ts';

const MINUTE_MS = 60_000;
/** A mark may be seen before its rows are; no insert takes this long. */
const SETTLED_AFTER_MS = 30_000;
/** As long as spans are kept. */
const BACK_MINUTES = 15 * 24 * 60;
/** Of one round, so that a flood of late spans holds up no other tenant for long. */
const MINUTES_A_ROUND = 120;

export interface ComputeDeps {
  store: ColumnStore;
  clock: Clock;
  /** Connections of one kind that a minute keeps by name. */
  maxEdges?: number | undefined;
  /** Told of calls on connections beyond that. */
  noteConnections?: ((tenant: TenantId, beyond: { folded: number; bound: number }) => void) | undefined;
}

const BACKGROUND = { background: true } as const;

/** Two that compute in the same millisecond must not both be the newest: what they found would be read twice. */
const VERSIONS_A_MS = 1024;

interface Due {
  minute: number;
  seen: number;
  settled: number;
}

/**
 * Computes the minutes of a tenant that are over and changed since they were computed last; gives how many. Two at once, or one that ends
 * half-way, do no harm: a computation is read when all of it is there, the newest wins, and a minute without its mark is computed again.
 */
export async function computeEdges(deps: ComputeDeps, tenant: TenantId): Promise<number> {
  const { store, clock } = deps;
  const nowMs = clock.now();
  const endMinute = Math.floor((nowMs - CLOSED_AFTER_MS) / MINUTE_MS);
  const due = await store.read<Due>(
    tenant,
    DUE,
    {
      firstMinute: Math.max(0, endMinute - BACK_MINUTES),
      endMinute,
      settledMs: nowMs - SETTLED_AFTER_MS,
      limit: MINUTES_A_ROUND,
    },
    BACKGROUND,
  );
  const byMinute = new Map(due.map((one) => [one.minute, one]));
  for (const minutes of groupMinutes([...byMinute.keys()])) {
    await computeStretch(deps, tenant, { minutes, nowMs });
    // What was not settled may have rows that were not seen: it stays due.
    const seen = minutes.map((minute) => (byMinute.get(minute)?.seen ?? 0) - (byMinute.get(minute)?.settled ? 0 : 1));
    await store.derive(tenant, MARK, { minutes, seen });
  }
  return due.length;
}

async function computeStretch(
  { store, maxEdges = MAX_EDGES, noteConnections }: ComputeDeps,
  tenant: TenantId,
  { minutes, nowMs }: { minutes: readonly number[]; nowMs: number },
): Promise<void> {
  const [newest] = await store.read<{ version: string }>(tenant, NEWEST_VERSION, { minutes }, BACKGROUND);
  // A clock that went back must not hide what is computed now behind what was computed then.
  const version = Math.max(nowMs * VERSIONS_A_MS, Number(newest?.version ?? 0) + 1) + randomInt(VERSIONS_A_MS);
  const [counted] = await store.read<{ c: number }>(
    tenant,
    COUNT_SPANS,
    stretchParams({ minutes, version, oneIn: 1, maxEdges }),
    BACKGROUND,
  );
  const oneIn = Math.max(1, Math.ceil((counted?.c ?? 0) / MAX_SPANS));
  const params = stretchParams({ minutes, version, oneIn, maxEdges });
  for (const sql of [ANSWERS, OUTSIDE, SERVICES, FLOWS, MINUTES]) await store.derive(tenant, sql, params);
  const [beyond] = await store.read<{ calls: number }>(tenant, BEYOND, { minutes, version: String(version) }, BACKGROUND);
  if (beyond && beyond.calls > 0) noteConnections?.(tenant, { folded: beyond.calls, bound: maxEdges });
}
