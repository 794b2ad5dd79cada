import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { MAX_TARGET } from '@svc/contracts/changes/bounds';
import type { PreviewTargets, SetTargets, TargetPreview, TargetRule, WebhookDetail } from '@svc/contracts/changes/webhook';
import type { z } from 'zod';
import { AppError, actorOf, type Ctx, parseAnyPrefix } from '#kernel';
import type { TenantSql } from '#relational';
import { anchorOf, NOWHERE } from '../domain/anchor.ts';
import { createRuleFinder, MOST_COMPARED } from '../domain/target-rules.ts';
import { writeRules } from '../store/rules.ts';
import { webhookRows } from './store.ts';
import type { Webhooks, WebhooksDeps } from './webhooks.ts';

/** Of the changes that named no target themselves, the newest: those that a table is shown over, and made to hold for. */
const MOST_RECENT = 5000;
const RECENT_DAYS = 30;
const SAMPLE = 20;

interface RecentRow {
  id: string;
  number: number;
  title: string;
  repository: string | null;
  environment: string | null;
  paths: string[];
  anchor: string | null;
  prefix: string | null;
}

const RECENT = `SELECT c.id, c.number::float8 AS number, c.title, c.repository, c.environment, c.paths, c.anchor, c.network::text AS prefix
  FROM changes c WHERE c.webhook_id = $1 AND c.target_from IS DISTINCT FROM 'change' AND c.received_at > $2
  ORDER BY c.occurred_at DESC, c.number DESC LIMIT ${MOST_RECENT}`;

async function readRecent(sql: TenantSql, id: string, nowMs: number): Promise<RecentRow[]> {
  return (await sql.query<RecentRow>(RECENT, [id, new Date(nowMs - RECENT_DAYS * 86_400_000)])).rows;
}

function demandUsable(rules: readonly TargetRule[]): void {
  const faults = rules.flatMap((rule, at) => {
    if (rule.prefix !== null && !parseAnyPrefix(rule.prefix))
      return [{ path: `rules.${at}.prefix`, message: 'This is no network such as 203.0.113.0/24.' }];
    if (rule.target !== null && anchorOf({ target: rule.target.slice(0, MAX_TARGET), prefix: null }).anchor === null)
      return [{ path: `rules.${at}.target`, message: 'This is no host, service or address.' }];
    return [];
  });
  if (faults.length > 0) throw new AppError('validation', 'A row of the table cannot be used.', { faults });
}

/** As many letters as five deliveries may compare. */
const EFFORT = 5 * MOST_COMPARED;
const PAUSE_AFTER_MS = 8;

/** Which row decides each change, the newest first: fewer of them where the rows take too long to compare. */
async function decide(rules: readonly TargetRule[], changes: readonly RecentRow[]) {
  const finder = createRuleFinder(rules, EFFORT);
  const decided: { change: RecentRow; at: number }[] = [];
  let pausedMs = performance.now();
  for (const change of changes) {
    const at = finder.find(change);
    if (finder.isSpent()) break;
    decided.push({ change, at });
    if (performance.now() - pausedMs < PAUSE_AFTER_MS) continue;
    await yieldToOthers();
    pausedMs = performance.now();
  }
  return decided;
}

/** What rows would make of the changes so far. Writes nothing. */
export async function previewTargets(
  deps: WebhooksDeps,
  { principal }: Ctx,
  wish: z.infer<typeof PreviewTargets>,
): Promise<z.infer<typeof TargetPreview>> {
  demandUsable(wish.rules);
  const recent = await deps.relational.withTenantSql(principal.tenant, async (sql) => {
    await webhookRows.read(sql, wish.id, deps.clock.now());
    return await readRecent(sql, wish.id, deps.clock.now());
  });
  const decided = await decide(wish.rules, recent);
  const matched = decided.filter(({ at }) => at >= 0);
  return {
    ...{ looked_at: decided.length, matched: matched.length },
    by_rule: wish.rules.map((_, place) => matched.filter(({ at }) => at === place).length),
    sample: decided.slice(0, SAMPLE).map(({ change: { number, title, repository, environment }, at }) => ({
      ...{ number, title, repository, environment },
      ...{ target: wish.rules[at]?.target ?? null, prefix: wish.rules[at]?.prefix ?? null },
    })),
  };
}

const APPLY = `UPDATE changes c SET target = n.target, anchor = n.anchor, address = n.address, network = n.network, target_from = n.target_from
  FROM jsonb_to_recordset($1::jsonb) AS n (id uuid, target text, anchor text, address inet, network inet, target_from text)
  WHERE c.id = n.id AND (c.anchor, c.network) IS DISTINCT FROM (n.anchor, n.network)`;

async function applyToRecent(
  sql: TenantSql,
  id: string,
  { rules, nowMs }: { rules: readonly TargetRule[]; nowMs: number },
): Promise<number> {
  const rows = (await decide(rules, await readRecent(sql, id, nowMs))).map(({ change, at }) => {
    const rule = rules[at];
    const { prefix, ...anchor } = rule ? anchorOf(rule) : NOWHERE;
    return { id: change.id, ...anchor, network: prefix, target_from: rule ? 'table' : null };
  });
  return rows.length === 0 ? 0 : ((await sql.query(APPLY, [JSON.stringify(rows)])).rowCount ?? 0);
}

/** Another table for a webhook, with what of its changes it decides from now on and, if asked, of the last ones. */
export async function setTargets(
  deps: WebhooksDeps & { webhooks: Pick<Webhooks, 'get'> },
  ctx: Ctx,
  wish: z.infer<typeof SetTargets>,
): Promise<WebhookDetail> {
  const { principal } = ctx;
  demandUsable(wish.rules);
  await deps.relational.withTenantSql(principal.tenant, async (sql) => {
    await webhookRows.takeTurn(sql);
    await webhookRows.read(sql, wish.id, deps.clock.now());
    await writeRules(sql, principal.tenant, wish);
    const nowMs = deps.clock.now();
    const changed = wish.apply_to_recent ? await applyToRecent(sql, wish.id, { rules: wish.rules, nowMs }) : 0;
    await deps.appendAudit(sql, {
      actor: actorOf(principal),
      action: 'change_webhook.set_targets',
      object: { type: 'change_webhook', id: wish.id },
      detail: { rows: wish.rules.length, changes: changed },
    });
  });
  return await deps.webhooks.get(ctx, wish.id);
}
