import { GROUPS, TOPICS } from '@svc/contracts/bus-topics';
import type { CanonicalResult } from '@svc/contracts/canonical-result';
import type { FastifyBaseLogger } from 'fastify';
import type { Bus, BusBatch, Subscription } from '#bus';
import type { TenantId } from '#kernel';
import type { Relational } from '#relational';
import { type AgentReadings, foldResult } from './domain/readings.ts';
import { lockReadings, writeReadings } from './view-store.ts';

export interface ConsumeDeps {
  bus: Bus;
  relational: Relational;
  log: FastifyBaseLogger;
}

/** Agents in one transaction at most: locks are held for some tens of milliseconds. */
const AGENTS_PER_TRANSACTION = 1000;
const VIEWED: ReadonlySet<string> = new Set([
  'endpoint.wifi',
  'endpoint.gateway',
  'endpoint.lastmile',
  'endpoint.session',
  'endpoint.attribution',
]);

type ByAgent = Map<string, CanonicalResult[]>;

/** The results of a batch by tenant and agent; what is no result of a known shape is skipped and told. */
function groupByAgent(batch: BusBatch, log: FastifyBaseLogger): Map<TenantId, ByAgent> {
  const tenants = new Map<TenantId, ByAgent>();
  for (const { tenant, value, offset } of batch.messages) {
    let result: CanonicalResult;
    try {
      result = JSON.parse(value.toString('utf8')) as CanonicalResult;
    } catch (error) {
      log.error({ err: error, offset: String(offset) }, 'a message of endpoint results is no JSON; skipped');
      continue;
    }
    if (!VIEWED.has(result.canary_type)) continue;
    const agents: ByAgent = tenants.get(tenant) ?? new Map();
    tenants.set(tenant, agents);
    const results = agents.get(result.agent_id);
    if (results) results.push(result);
    else agents.set(result.agent_id, [result]);
  }
  return tenants;
}

const hasSession = (results: readonly CanonicalResult[]): boolean => results.some((r) => r.canary_type === 'endpoint.session');

async function foldAgents(
  relational: Relational,
  tenant: TenantId,
  agents: readonly [string, CanonicalResult[]][],
): Promise<void> {
  const withSessions = new Set(agents.filter(([, results]) => hasSession(results)).map(([id]) => id));
  await relational.withTenantSql(tenant, async (sql) => {
    const known = await lockReadings(
      sql,
      agents.map(([id]) => id),
      withSessions,
    );
    const changed = new Map<string, AgentReadings>();
    for (const [id, results] of agents) {
      const agent = known.get(id);
      if (!agent) continue;
      // Oldest first, so that a verdict's beginning is found even when both its ends come in one batch.
      const ordered = results.sort((a, b) => (a.started_at < b.started_at ? -1 : 1));
      let isChanged = false;
      for (const result of ordered) isChanged = foldResult(agent, result) || isChanged;
      if (isChanged) changed.set(id, agent);
    }
    await writeReadings(sql, changed);
  });
}

/** Keeps the view: folds each batch into one row an agent. Safe against repeats and disorder, since only newer readings win. */
export async function subscribeView({ bus, relational, log }: ConsumeDeps): Promise<Subscription> {
  const options = { topic: TOPICS.endpointResults, group: GROUPS.endpointView, maxMessages: 5000, lingerMs: 250 };
  return await bus.subscribe(options, async (batch) => {
    for (const [tenant, agents] of groupByAgent(batch, log)) {
      const entries = [...agents].sort(([a], [b]) => (a < b ? -1 : 1));
      for (let from = 0; from < entries.length; from += AGENTS_PER_TRANSACTION) {
        await foldAgents(relational, tenant, entries.slice(from, from + AGENTS_PER_TRANSACTION));
      }
    }
  });
}
