import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { GROUPS, TOPICS } from '@svc/contracts/bus-topics';
import type { CanonicalResult } from '@svc/contracts/canonical-result';
import type { FastifyBaseLogger } from 'fastify';
import type { Bus, BusBatch, BusMessage, Subscription } from '#bus';
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

/** SQLSTATE class 22: the data itself cannot be kept, and never will be. */
const isDataRefused = (error: unknown): boolean => String(Reflect.get(Object(error), 'code')).startsWith('22');

/**
 * Folds agents; when the database refuses the data of one of them, finds which and leaves it out, so that it does not hold up all
 * others for good. Any other failure rejects, and the batch comes again.
 */
async function foldOrIsolate(deps: Omit<ConsumeDeps, 'bus'>, tenant: TenantId, agents: Agents): Promise<void> {
  try {
    await foldAgents(deps.relational, tenant, agents);
  } catch (error) {
    if (!isDataRefused(error)) throw error;
    const [only] = agents;
    if (agents.length > 1) {
      const middle = agents.length >> 1;
      await foldOrIsolate(deps, tenant, agents.slice(0, middle));
      await foldOrIsolate(deps, tenant, agents.slice(middle));
    } else
      deps.log.error({ err: error, tenant, agent: only?.[0] }, 'results of one agent could not be put into the view; skipped');
  }
}

/** Keeps the view: folds each batch into one row an agent. Safe against repeats and disorder, since only newer readings win. */
export async function subscribeView({ bus, ...deps }: ConsumeDeps): Promise<Subscription> {
  const options = { topic: TOPICS.endpointResults, group: GROUPS.endpointView, maxMessages: 5000, lingerMs: 250 };
  return await bus.subscribe(options, async (batch) => {
    for (const [tenant, agents] of await groupByAgent(batch, deps.log)) {
      const entries = [...agents].sort(([a], [b]) => (a < b ? -1 : 1));
      for (let from = 0; from < entries.length; from += AGENTS_PER_TRANSACTION) {
        await foldOrIsolate(deps, tenant, entries.slice(from, from + AGENTS_PER_TRANSACTION));
      }
    }
  });
}
