import { MIN_OTHERS, type SharedTold } from '@svc/contracts/agent/shared-told';
import type { FaultKind } from '@svc/contracts/fault-kinds';
import type { Cause } from '@svc/contracts/verdict';
import type { TenantId } from '#kernel';
import type { EndpointDeps } from '../context.ts';
import { findSharedCauses, type SharedCauseGroup } from '../domain/shared-causes.ts';
import { createSqlParts, verdictSql } from './fleet-sql.ts';

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/** Verdicts in so many hours of the last day, whichever: a laptop sleeps. */
const HOURS_REPORTED = 6;
/** Histories looked at in one read, those enrolled first; further devices are not counted. */
const MAX_LOOKED_AT = 2000;

interface AffectedRow {
  agent_id: string;
  site: string;
  gateway: string | null;
  cause: Cause;
  fault: FaultKind | null;
  since: Date | null;
  /** Whose it is; a device that names nobody stands for itself. */
  person: string;
  /** Enrolled for a day, by this server's clock. */
  is_old: boolean;
}

type Deps = Pick<EndpointDeps, 'relational' | 'clock' | 'results'>;

async function readAffected({ relational, clock }: Deps, tenant: TenantId): Promise<AffectedRow[]> {
  const nowMs = clock.now();
  const parts = createSqlParts();
  const text = `SELECT agent_id, site, gateway, cause, fault, since, person, is_old FROM
    (SELECT s.agent_id, s.site, s.gateway_address AS gateway, s.cause, s.fault_kind AS fault, s.verdict_since AS since, s.enrolled_at,
        coalesce(lower(s.owner), s.agent_id::text) AS person, ${verdictSql(parts, nowMs)} AS verdict,
        s.enrolled_at <= ${parts.add(new Date(nowMs - DAY_HOURS * HOUR_MS))}::timestamptz AS is_old
      FROM endpoint_summary s WHERE s.site IS NOT NULL AND s.cause <> 'none') s
    WHERE verdict = cause ORDER BY enrolled_at, agent_id`;
  return await relational.withTenantSql(tenant, async (sql) => (await sql.query<AffectedRow>(text, parts.values)).rows);
}

const keyOf = ({ site, cause, person }: AffectedRow): string => JSON.stringify([site, cause, person]);

/** One device a person, place and cause: three laptops of one person are one neighbour. */
function onePerPerson(rows: readonly AffectedRow[]): AffectedRow[] {
  return [...new Map(rows.toReversed().map((row) => [keyOf(row), row])).values()];
}

function groupsOf(rows: readonly AffectedRow[]): SharedCauseGroup[] {
  const sinceOf = ({ since }: AffectedRow): number | null => since?.getTime() ?? null;
  const groups = rows.map((row) => ({ site: row.site, gateway: row.gateway, cause: row.cause, count: 1, sinceMs: sinceOf(row) }));
  return findSharedCauses(groups).filter(({ affected }) => affected >= MIN_OTHERS);
}

const holds = (group: SharedCauseGroup, { site, gateway, cause }: AffectedRow): boolean =>
  group.site === site && group.cause === cause && (group.gateway === null || group.gateway === gateway);

/** Those of them that reported verdicts over the last day: somebody works with them. */
async function keepLived({ results, clock }: Deps, tenant: TenantId, rows: readonly AffectedRow[]): Promise<AffectedRow[]> {
  const looked = rows.slice(0, MAX_LOOKED_AT);
  if (looked.length === 0) return [];
  const toMs = Math.ceil(clock.now() / HOUR_MS) * HOUR_MS;
  const agentIds = looked.map((row) => row.agent_id);
  const strips = await results.causeStrip(tenant, { agentIds, fromMs: toMs - DAY_HOURS * HOUR_MS, toMs, stepMs: HOUR_MS });
  const hoursOf = (id: string): number => (strips.get(id) ?? []).filter((cause) => cause !== null).length;
  return looked.filter((row) => hoursOf(row.agent_id) >= HOURS_REPORTED);
}

/**
 * What each slow device of a tenant may be told of the others at its place: how many, never which, and never of few. Only persons count
 * whose device was enrolled for a day and reported through it, each once, so that devices made up on the spot beside one neighbour do not
 * make it many. Devices that share nothing are left out.
 */
export async function readSharedTold(deps: Deps, tenant: TenantId): Promise<ReadonlyMap<string, SharedTold>> {
  const kinds = [...Map.groupBy(await readAffected(deps, tenant), ({ fault }) => fault).values()];
  return new Map((await Promise.all(kinds.map((rows) => readOfKind(deps, tenant, rows)))).flat());
}

async function readOfKind(deps: Deps, tenant: TenantId, rows: readonly AffectedRow[]): Promise<[string, SharedTold][]> {
  const old = rows.filter((row) => row.is_old);
  const possible = groupsOf(onePerPerson(old));
  const candidates = old.filter((row) => possible.some((group) => holds(group, row)));
  const counted = onePerPerson(await keepLived(deps, tenant, candidates));
  const groups = groupsOf(counted);
  if (groups.length === 0) return [];
  const ofPerson = new Map(counted.map((row) => [keyOf(row), row]));
  return rows.flatMap((row): [string, SharedTold][] => {
    // The largest group first; those of its gateway and of its whole site may both hold it.
    const group = groups.find((one) => holds(one, row));
    if (!group) return [];
    const own = ofPerson.get(keyOf(row));
    const others = group.affected - (own !== undefined && holds(group, own) ? 1 : 0);
    return others < MIN_OTHERS ? [] : [[row.agent_id, { cause: group.cause, others, sinceMs: group.sinceMs }]];
  });
}
