import type { TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';
import { type EdgeRatios, WINDOW_MINUTES } from './domain/edge-failing.ts';

const DAY_MINUTES = 24 * 60;
const LATELY_MINUTES = 15;
/** Minutes with fewer calls say nothing of what is usual. */
const MIN_CALLS = 20;
/** Edges that are looked at, the busiest. */
const MAX_EDGES = 5000;
/** Names of a service that are told. */
const MAX_NAMES = 5;

const NEWEST = 'tenant_id = {tenant:String} AND minute >= {from:UInt32} AND minute < {end:UInt32}';
/** As `edgeKey` writes it. */
const KEY = "substringUTF8(concat(toString(source), '\\n', toString(target), '\\n', toString(kind)), 1, 256)";

/**
 * Five minutes are summed into one bucket, counted back from the end. `split` is where what is usual ends: before the window, or before the
 * edge began to fail.
 */
const RATIOS = `SELECT source, target, kind, sumIf(c, bucket = 0) AS calls, sumIf(e, bucket = 0) AS errors,
    sumIf(c, bucket < ${LATELY_MINUTES / WINDOW_MINUTES}) AS lately,
    maxIf(e / c, c >= ${MIN_CALLS} AND first < split AND first >= split - ${DAY_MINUTES}) AS usual
  FROM (SELECT toString(source) AS source, toString(target) AS target, toString(kind) AS kind,
      intDiv({end:UInt32} - 1 - minute, ${WINDOW_MINUTES}) AS bucket, min(minute) AS first, sum(calls) AS c, sum(errors) AS e,
      transform(${KEY}, {keys:Array(String)}, {splits:Array(UInt32)}, toUInt32({end:UInt32} - ${WINDOW_MINUTES})) AS split
    FROM edges WHERE ${NEWEST} AND kind IN ('call', 'message', 'database', 'queue', 'host') AND source != ''
      AND (minute, version) IN (SELECT minute, max(version) FROM edge_minutes WHERE ${NEWEST} GROUP BY minute)
    GROUP BY source, target, kind, bucket)
  GROUP BY source, target, kind HAVING lately > 0 ORDER BY errors DESC, calls DESC LIMIT ${MAX_EDGES}`;

const WAITING = `SELECT count() AS waiting FROM (SELECT minute FROM edge_marks WHERE tenant_id = {tenant:String}
    AND minute >= {recent:UInt32} AND minute < {end:UInt32}
  GROUP BY minute HAVING sum(writes) > 0 AND max(rolled) = 0)`;

/** Where a service answers, as those who call it say. */
const SERVED = `SELECT toString(service) AS service, attributes['server.address'] AS name FROM spans
  WHERE tenant_id = {tenant:String} AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND kind = 2 AND service IN {services:Array(String)}
    AND attributes['server.address'] != '' GROUP BY service, name ORDER BY count() DESC LIMIT ${MAX_NAMES} BY service`;

const MINUTE_MS = 60_000;
const BACKGROUND = { background: true } as const;

interface Question {
  /** The minute that the newest window ends before. */
  end: number;
  /** Minutes in which edges began to fail, by their keys. */
  since: ReadonlyMap<string, number>;
}

/** Edges that were called lately; undefined while minutes of the window wait to be computed. */
export async function readRatios(
  store: ColumnStore,
  tenant: TenantId,
  { end, since }: Question,
): Promise<EdgeRatios[] | undefined> {
  const recent = end - LATELY_MINUTES;
  const [marks] = await store.read<{ waiting: number }>(tenant, WAITING, { recent, end }, BACKGROUND);
  if ((marks?.waiting ?? 0) > 0) return undefined;
  // What is usual for an edge that fails for long lies further back.
  const first = Math.min(end - WINDOW_MINUTES, ...since.values());
  const from = Math.max(0, Math.max(first, end - 7 * DAY_MINUTES) - DAY_MINUTES);
  const params = { from, end, keys: ['', ...since.keys()], splits: [0, ...since.values()] };
  return await store.read<EdgeRatios>(tenant, RATIOS, params, BACKGROUND);
}

/** Names under which services are called, the most used first. */
export async function readServedNames(
  store: ColumnStore,
  tenant: TenantId,
  { end, services }: { end: number; services: readonly string[] },
): Promise<Map<string, string[]>> {
  const names = new Map<string, string[]>();
  if (services.length === 0) return names;
  const params = { services: [...new Set(services)], fromMs: (end - LATELY_MINUTES) * MINUTE_MS };
  for (const { service, name } of await store.read<{ service: string; name: string }>(tenant, SERVED, params, BACKGROUND))
    names.set(service, [...(names.get(service) ?? []), name]);
  return names;
}
