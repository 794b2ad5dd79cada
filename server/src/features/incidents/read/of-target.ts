import { anchorsOf } from '#kernel';
import type { TenantSql } from '#relational';

/** An incident as pages of its target draw it. */
export interface MarkedIncident {
  id: string;
  number: number;
  title: string;
  from: string;
  to: string | null;
}

const AT_MOST = 100;
/** A URL without a port has one of these, and a signal that names none may be of any. */
const WEB_PORTS: readonly number[] = [0, 80, 443];

/** A host alone is asked for whatever its port, as verdicts over its users count its tests. */
function portsOf(port: number): readonly number[] | null {
  if (port === 0) return null;
  return WEB_PORTS.includes(port) ? WEB_PORTS : [port];
}

/** Those of which a signal is about it, in whatever spelling, and that lasted into the span; the earliest first. */
export async function readOfTarget(
  sql: TenantSql,
  target: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<MarkedIncident[]> {
  const [own] = anchorsOf({ target, attributes: {} });
  if (!own) return [];
  const { rows } = await sql.query<{ id: string; number: number; title: string; started_at: Date; ended_at: Date | null }>(
    `SELECT i.id, i.number::float8 AS number, i.title, i.started_at, coalesce(i.recovered_at, i.resolved_at) AS ended_at FROM incidents i
     WHERE i.merged_into IS NULL AND i.started_at < $3 AND coalesce(i.recovered_at, i.resolved_at, i.last_seen_at, $3) >= $2
       AND i.id IN (SELECT a.incident_id FROM incident_anchors a WHERE a.kind = $1 AND a.value = $4 AND a.is_own
         AND ($5::int[] IS NULL OR a.port = ANY ($5)))
     ORDER BY i.started_at LIMIT ${AT_MOST}`,
    [own.kind, new Date(fromMs), new Date(toMs), own.value, portsOf(own.port)],
  );
  return rows.map(({ id, number, title, started_at, ended_at }) => ({
    ...{ id, number, title, from: started_at.toISOString(), to: ended_at?.toISOString() ?? null },
  }));
}
