import type { EvidenceQuestion } from '@svc/contracts/causes/facts';
import type { TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';
import type { EdgeSum } from './domain/build-map.ts';

const MAX_SERVICES = 5;
/** Spans around the beginning of the harm: enough to learn a service's name, few enough to read their attributes. */
const AROUND_MS = 3 * 60_000;
/** Minutes before the harm was noticed in which it may have begun. */
const EARLIER_MINUTES = 30;
const BACKGROUND = { background: true } as const;

/** Services that answer under the target's name, as those who call them say. */
const SERVED = `SELECT toString(service) AS service FROM spans
  WHERE tenant_id = {tenant:String} AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})
    AND kind = 2 AND attributes['server.address'] = {host:String}
  GROUP BY service ORDER BY count() DESC, service LIMIT ${MAX_SERVICES}`;

const WINDOW = 'tenant_id = {tenant:String} AND minute >= {from:UInt32} AND minute < {to:UInt32}';

const USUAL = `minute < {since:UInt32} - ${EARLIER_MINUTES}`;
const NOW = 'minute >= {since:UInt32}';
/** Behind any minute. */
const NEVER = 4_294_967_295;
/** A mean that grew by less says nothing about when. */
const SLOWER = 1.5;

/**
 * The minute from which on calls of an edge are bad: before it they are nearer to what is usual, behind it nearer to what they are since the
 * harm was noticed, each minute counted by its calls. So one call that failed in a quiet minute before it is not the beginning of anything.
 */
const ONSETS = `SELECT source, target, kind, least(if(fails, fails_from, ${NEVER}), if(is_slow, slow_from, ${NEVER})) AS onset FROM (
    SELECT source, target, kind,
      any(now_errors) >= 0.05 AND any(now_errors) >= 2 * any(usual_errors) AS fails,
      any(usual_ns) > 0 AND any(now_ns) >= ${SLOWER} * any(usual_ns) AS is_slow,
      argMaxIf(minute, (failed_behind, -toInt64(minute)), minute >= {earliest:UInt32}) AS fails_from,
      argMaxIf(minute, (slow_behind, -toInt64(minute)), minute >= {earliest:UInt32}) AS slow_from
    FROM (SELECT *, sum(e - c * (usual_errors + now_errors) / 2) OVER onwards AS failed_behind,
        sum(d - c * (usual_ns + now_ns) / 2) OVER onwards AS slow_behind
      FROM (SELECT toString(source) AS source, toString(target) AS target, toString(kind) AS kind, minute,
          sum(calls) AS c, sum(errors) AS e, sum(duration_ns) AS d,
          sumIf(e, ${USUAL}) OVER edge / greatest(sumIf(c, ${USUAL}) OVER edge, 1) AS usual_errors,
          sumIf(d, ${USUAL}) OVER edge / greatest(sumIf(c, ${USUAL}) OVER edge, 1) AS usual_ns,
          sumIf(e, ${NOW}) OVER edge / greatest(sumIf(c, ${NOW}) OVER edge, 1) AS now_errors,
          sumIf(d, ${NOW}) OVER edge / greatest(sumIf(c, ${NOW}) OVER edge, 1) AS now_ns
        FROM edges WHERE ${WINDOW} AND target IN {targets:Array(String)} AND source IN {sources:Array(String)}
          AND (minute, version) IN (SELECT minute, max(version) FROM edge_minutes WHERE ${WINDOW} GROUP BY minute)
        GROUP BY source, target, kind, minute HAVING c > 0 WINDOW edge AS (PARTITION BY source, target, kind))
      WINDOW onwards AS (PARTITION BY source, target, kind ORDER BY minute DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW))
    GROUP BY source, target, kind)
  WHERE onset < ${NEVER}`;

export async function readServices(
  store: ColumnStore,
  tenant: TenantId,
  { target, sinceMs }: EvidenceQuestion,
): Promise<string[]> {
  const host = target?.replace(/:\d+$/, '');
  if (!host) return [];
  const params = { host, fromMs: sinceMs - AROUND_MS, toMs: sinceMs + AROUND_MS };
  return (await store.read<{ service: string }>(tenant, SERVED, params, BACKGROUND)).map(({ service }) => service);
}

interface Onsets {
  edges: readonly Pick<EdgeSum, 'source' | 'target' | 'kind'>[];
  before: { from: number };
  since: { from: number; to: number };
}

/** Minutes in which edges became worse, by source, target and kind. */
export async function readOnsets(
  store: ColumnStore,
  tenant: TenantId,
  { edges, before, since }: Onsets,
): Promise<Map<string, number>> {
  if (edges.length === 0) return new Map();
  const params = {
    ...{ from: before.from, to: since.to, since: since.from, earliest: Math.max(before.from, since.from - EARLIER_MINUTES) },
    sources: [...new Set(edges.map(({ source }) => source))],
    targets: [...new Set(edges.map(({ target }) => target))],
  };
  type Row = { source: string; target: string; kind: string; onset: number };
  const rows = await store.read<Row>(tenant, ONSETS, params, BACKGROUND);
  return new Map(rows.map(({ source, target, kind, onset }) => [`${source}\n${target}\n${kind}`, onset]));
}
