import { type Anchor, anchorsOf } from '#kernel';
import type { TenantSql } from '#relational';
import { readIncident } from '../work.ts';

/** Of one incident, the newest. */
const MAX_SIGNALS = 500;

/** What an incident is about, for slices that look for what has to do with it. */
export interface AboutIncident {
  id: string;
  /** When its harm began. */
  startedAt: Date;
  /** Of its own and its signals' targets and prefixes, and of what data say of these. */
  anchors: Anchor[];
}

interface SignalPlace {
  kind: string;
  target: string | null;
  prefix: string | null;
  site: string | null;
  attributes: Record<string, string>;
}

const PLACES = `SELECT s.kind, s.target, s.prefix, s.site, s.attributes FROM signals s WHERE s.incident_id = $1
  ORDER BY s.occurred_at DESC, s.seq DESC LIMIT ${MAX_SIGNALS}`;

const HARM = `SELECT min(s.occurred_at) AS at FROM signals s WHERE s.incident_id = $1 AND s.kind <> 'test.certificate_expiring'`;

/** When the harm of an incident began: a certificate that will end in three weeks does none, and may have opened it long before. */
export async function readHarmStart(sql: TenantSql, { id, started_at }: { id: string; started_at: Date }): Promise<Date> {
  const { rows } = await sql.query<{ at: Date | null }>(HARM, [id]);
  return rows[0]?.at ?? started_at;
}

/** AppError `not_found` for one that is not this tenant's. */
export async function describeIncident(sql: TenantSql, id: string): Promise<AboutIncident> {
  const row = await readIncident(sql, id);
  const { target, prefix, site } = row;
  const { rows } = await sql.query<SignalPlace>(PLACES, [id]);
  const anchors = [{ target, prefix, site, attributes: {} }, ...rows].flatMap(anchorsOf);
  const once = new Map(anchors.map((anchor) => [`${anchor.kind} ${anchor.value} ${anchor.site}`, anchor]));
  return { id, startedAt: await readHarmStart(sql, row), anchors: [...once.values()] };
}
