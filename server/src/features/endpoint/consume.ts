import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { GROUPS, TOPICS } from '@svc/contracts/bus-topics';
import type { CanonicalResult } from '@svc/contracts/results/canonical-result';
import type { FastifyBaseLogger } from 'fastify';
import type { Bus, BusBatch, BusMessage, Subscription } from '#bus';
import type { TenantId } from '#kernel';
import { type Relational, toTransient } from '#relational';
import { type AgentReadings, foldResult } from './domain/readings.ts';
import { lockReadings, writeReadings } from './view-store.ts';

export interface ConsumeDeps {
  bus: Bus;
  relational: Relational;
  /** So many results of a tenant are in the view, or never will be. */
  onStored?: (tenant: TenantId, results: number) => void;
  log: FastifyBaseLogger;
}

const UNWRITTEN = 'The view of devices could not be written.';
/** Agents in one transaction at most: locks are held for some tens of milliseconds. */
const AGENTS_PER_TRANSACTION = 1000;
/** Messages read in one go before requests get the event loop: about 1 ms. */
const AT_ONCE = 200;
const VIEWED: ReadonlySet<string> = new Set([
  'endpoint.wifi',
  'endpoint.gateway',
  'endpoint.lastmile',
  'endpoint.session',
  'endpoint.attribution',
]);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type ByAgent = Map<string, CanonicalResult[]>;

type ByTenant = Map<TenantId, ByAgent>;

/** Puts one message to its tenant and agent; what is no result of a known shape is skipped and told. */
function groupMessage(tenants: ByTenant, { tenant, value, offset }: BusMessage, log: FastifyBaseLogger): void {
  let result: CanonicalResult;
  try {
    result = JSON.parse(value.toString('utf8')) as CanonicalResult;
  } catch (error) {
    log.error({ err: error, offset: String(offset) }, 'a message of endpoint results is no JSON; skipped');
    return;
  }
  if (!VIEWED.has(result.canary_type)) return;
  if (!UUID.test(result.agent_id) || Number.isNaN(Date.parse(result.started_at))) {
    log.error({ offset: String(offset) }, 'a message of endpoint results has no agent or no start; skipped');
    return;
  }
  const agents: ByAgent = tenants.get(tenant) ?? new Map();
  tenants.set(tenant, agents);
  const results = agents.get(result.agent_id);
  if (results) results.push(result);
  else agents.set(result.agent_id, [result]);
}

function countByTenant({ messages }: BusBatch): Map<TenantId, number> {
  const counts = new Map<TenantId, number>();
  for (const { tenant } of messages) counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
  return counts;
}

/** The results of a batch by tenant and agent. */
async function groupByAgent({ messages }: BusBatch, log: FastifyBaseLogger): Promise<ByTenant> {
  const tenants: ByTenant = new Map();
  for (const [i, message] of messages.entries()) {
    if (i > 0 && i % AT_ONCE === 0) await yieldToOthers();
    groupMessage(tenants, message, log);
  }
  return tenants;
}

type Agents = readonly [string, CanonicalResult[]][];

const hasSession = (results: readonly CanonicalResult[]): boolean => results.some((r) => r.canary_type === 'endpoint.session');

async function foldAgents(relational: Relational, tenant: TenantId, agents: Agents): Promise<void> {
  const withSessions = new Set(agents.filter(([, results]) => hasSession(results)).map(([id]) => id));
  await relational.withSystemSql(tenant, async (sql) => {
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

/**
 * Keeps the view: folds each batch into one row an agent. Safe against repeats and disorder, since only newer readings win. Results that the
 * database refuses are set aside by the bus; what is no result is set aside where results are stored, and left out here.
 */
export async function subscribeView({ bus, onStored, ...deps }: ConsumeDeps): Promise<Subscription> {
  const options = { topic: TOPICS.endpointResults, group: GROUPS.endpointView, maxMessages: 5000, lingerMs: 250 };
  return await bus.subscribe(options, async (batch) => {
    for (const [tenant, agents] of await groupByAgent(batch, deps.log)) {
      const entries = [...agents].sort(([a], [b]) => (a < b ? -1 : 1));
      for (let from = 0; from < entries.length; from += AGENTS_PER_TRANSACTION) {
        const agentsOfOne = entries.slice(from, from + AGENTS_PER_TRANSACTION);
        await foldAgents(deps.relational, tenant, agentsOfOne).catch((error) => Promise.reject(toTransient(error, UNWRITTEN)));
      }
    }
    for (const [tenant, count] of countByTenant(batch)) onStored?.(tenant, count);
  });
}
