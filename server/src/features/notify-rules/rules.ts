import { SEVERITIES } from '@svc/contracts/incidents/kinds';
import {
  type ChangeRule,
  type CreateRule,
  MAX_RULES,
  type Rule,
  type RuleBody,
  type RulePreview,
} from '@svc/contracts/notify/rule';
import { uuidv7 } from 'uuidv7';
import type { z } from 'zod';
import { AppError, actorOf, type Ctx, type TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import type { RecentIncident, RulesDeps } from './context.ts';
import { isTimeZone } from './domain/local-time.ts';
import { decide, dueOf, type JudgedIncident, type JudgingRule, matches, type Told } from './domain/rules.ts';

interface RuleRow {
  id: string;
  name: string;
  enabled: boolean;
  body: RuleBody;
  created_by: string;
  created_at: Date;
  changed_at: Date;
}

/** Who is told of an incident, and when. */
export type Decider = (incident: JudgedIncident, how: { connectors: readonly string[]; atMs: number }) => Map<string, Told>;

// Rules of before there was a greatest severity have none.
const SELECT = `SELECT id, name, enabled, '{"severity_most":"critical"}'::jsonb || body AS body, created_by, created_at, changed_at
  FROM notify_rules`;
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('notify-rules/' || current_setting('app.tenant_id'), 0))";
const LOOKED_AT = 100;

async function present({ nameActors }: RulesDeps, tenant: TenantId, rows: readonly RuleRow[]): Promise<Rule[]> {
  const people = [...new Set(rows.map((row) => row.created_by))];
  const names = people.length > 0 ? await nameActors(tenant, people) : new Map<string, string>();
  return rows.map(({ body, ...row }) => ({
    ...{ ...body, id: row.id, name: row.name, enabled: row.enabled, created_at: row.created_at.toISOString() },
    created_by: { id: row.created_by, name: names.get(row.created_by) ?? 'former member' },
    changed_at: row.changed_at.toISOString(),
  }));
}

async function presentOne(deps: RulesDeps, tenant: TenantId, row: RuleRow | undefined): Promise<Rule> {
  const [rule] = row ? await present(deps, tenant, [row]) : [];
  if (!rule) throw new AppError('not_found', 'There is no such rule.');
  return rule;
}

const readRow = async (sql: TenantSql, id: string): Promise<RuleRow | undefined> =>
  (await sql.query<RuleRow>(`${SELECT} WHERE id = $1`, [id])).rows[0];

export async function listRules(deps: RulesDeps, { principal: { tenant } }: Ctx): Promise<Rule[]> {
  const { rows } = await deps.relational.withTenantSql(tenant, (sql) => sql.query<RuleRow>(`${SELECT} ORDER BY created_at, id`));
  return await present(deps, tenant, rows);
}

const bodyOf = (wish: RuleBody): RuleBody => {
  const { severity, severity_most, planes, targets, sites, schedule, delay_seconds, quiet, connectors } = wish;
  return { severity, severity_most, planes, targets, sites, schedule, delay_seconds, quiet, connectors };
};

async function demandUsable(
  { knownConnectors }: RulesDeps,
  sql: TenantSql,
  { severity, severity_most: most, schedule, quiet, connectors }: RuleBody,
): Promise<void> {
  const zones = [
    ['schedule', schedule],
    ['quiet', quiet],
  ] as const;
  const faults = zones.flatMap(([path, span]) =>
    span && !isTimeZone(span.time_zone)
      ? [{ path: `${path}.time_zone`, message: 'This is no time zone such as Europe/Berlin.' }]
      : [],
  );
  if (SEVERITIES.indexOf(most) < SEVERITIES.indexOf(severity))
    faults.push({ path: 'severity_most', message: 'The greatest severity is below the least: no incident fits.' });
  const known = await knownConnectors(sql);
  for (const [at, id] of connectors.entries())
    if (!known.has(id)) faults.push({ path: `connectors.${at}`, message: 'There is no such connector.' });
  if (faults.length > 0) throw new AppError('validation', 'The rule cannot be used like this.', { faults });
}

/** Decides by the rules of the transaction's tenant as they are now. */
export async function readDecider(sql: TenantSql): Promise<Decider> {
  const { rows } = await sql.query<RuleRow>(`${SELECT} ORDER BY created_at, id`);
  const rules = rows.map(({ id, name, enabled, body }): JudgingRule => ({ ...body, id, name, enabled }));
  return (incident, how) => decide(rules, incident, how);
}

export async function createRule(deps: RulesDeps, { principal }: Ctx, wish: z.infer<typeof CreateRule>): Promise<Rule> {
  const { tenant } = principal;
  const id = uuidv7();
  const row = await deps.relational.withTenantSql(tenant, async (sql) => {
    await sql.query(LOCK);
    await demandUsable(deps, sql, wish);
    const counted = await sql.query<{ n: number }>('SELECT count(*)::int AS n FROM notify_rules');
    if ((counted.rows[0]?.n ?? 0) >= MAX_RULES)
      throw new AppError('conflict', `A tenant has at most ${MAX_RULES} rules. Delete one first.`);
    await sql.query(
      `INSERT INTO notify_rules (tenant_id, id, name, enabled, body, created_by, created_at, changed_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7)`,
      [tenant, id, wish.name, wish.enabled, JSON.stringify(bodyOf(wish)), principal.id, new Date(deps.clock.now())],
    );
    await deps.appendAudit(sql, { actor: actorOf(principal), action: 'notify_rule.create', object: { type: 'notify_rule', id } });
    return await readRow(sql, id);
  });
  return await presentOne(deps, tenant, row);
}

/** What was told already stays told. */
export async function changeRule(deps: RulesDeps, { principal }: Ctx, wish: z.infer<typeof ChangeRule>): Promise<Rule> {
  const { tenant } = principal;
  const row = await deps.relational.withTenantSql(tenant, async (sql) => {
    await sql.query(LOCK);
    await demandUsable(deps, sql, wish);
    const changed = await sql.query('UPDATE notify_rules SET name = $2, enabled = $3, body = $4, changed_at = $5 WHERE id = $1', [
      ...[wish.id, wish.name, wish.enabled, JSON.stringify(bodyOf(wish)), new Date(deps.clock.now())],
    ]);
    if (changed.rowCount === 0) throw new AppError('not_found', 'There is no such rule.');
    const object = { type: 'notify_rule', id: wish.id };
    await deps.appendAudit(sql, { actor: actorOf(principal), action: 'notify_rule.change', object });
    return await readRow(sql, wish.id);
  });
  return await presentOne(deps, tenant, row);
}

export async function removeRule(deps: RulesDeps, { principal }: Ctx, id: string): Promise<void> {
  await deps.relational.withTenantSql(principal.tenant, async (sql) => {
    await sql.query(LOCK);
    const gone = await sql.query('DELETE FROM notify_rules WHERE id = $1', [id]);
    if (gone.rowCount === 0) throw new AppError('not_found', 'There is no such rule.');
    await deps.appendAudit(sql, { actor: actorOf(principal), action: 'notify_rule.delete', object: { type: 'notify_rule', id } });
  });
}

function judge(rule: RuleBody, incident: RecentIncident) {
  const openedMs = incident.openedAt.getTime();
  const isMatch = matches(rule, incident, openedMs);
  const dueMs = dueOf(rule, incident, openedMs);
  const isBefore = (at: Date | null): boolean => at !== null && at.getTime() < dueMs;
  const isOver = isBefore(incident.recoveredAt) || isBefore(incident.resolvedAt);
  const isTaken = !isOver && isBefore(incident.acknowledgedAt);
  const { id, number, title, severity } = incident;
  return {
    ...{ id, number, title, severity, opened_at: incident.openedAt.toISOString(), matches: isMatch },
    told_at: isMatch && !isOver && !isTaken ? new Date(dueMs).toISOString() : null,
    recovered_before: isMatch && isOver,
    acknowledged_before: isMatch && isTaken,
  };
}

/** Which of the last 100 incidents a rule would have sent. Writes nothing. */
export async function previewRule(deps: RulesDeps, { principal: { tenant } }: Ctx, rule: RuleBody): Promise<RulePreview> {
  const incidents = await deps.relational.withTenantSql(tenant, async (sql) => {
    await demandUsable(deps, sql, rule);
    return await deps.readRecent(sql, LOOKED_AT);
  });
  const judged = incidents.map((incident) => judge(rule, incident));
  return { looked_at: judged.length, matched: judged.filter((one) => one.told_at !== null).length, incidents: judged };
}
