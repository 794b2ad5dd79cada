import type { Cause } from '@svc/contracts/verdict';
import type { Clock, TenantId } from '#kernel';
import { type ColumnStore, createReuse, type Reuse, type SeriesStore } from '#telemetry';
import { type Columns, createKeyCache, createRowBuilder, newColumns, type SeriesRules } from './build-rows.ts';
import { checkAgents, checkWindow, historyLimit, stepsOf } from './check-query.ts';
import { RETENTION_MS } from './domain/parse-result.ts';
import { spansOf, type Verdict } from './domain/rule-causes.ts';
import { readAllResults } from './export.ts';
import type { CauseStripQuery, HistoryQuery, StoredResult } from './queries.ts';
import { causeStripSql, historySql, LATEST, type ResultRow, slowByStepSql, toStoredResult, VERDICTS } from './result-sql.ts';
import type { ResultBatch, ResultStore } from './store.ts';
import type { Targets } from './targets.ts';
import { createWindowReads } from './window-sql.ts';

interface Deps {
  store: ColumnStore;
  series: SeriesStore;
  targets: Targets;
  clock: Clock;
}

/** Rows that one read may give: 1000 agents with seven types and some targets each. */
const MAX_LATEST_ROWS = 100_000;

function groupByAgent(rows: readonly ResultRow[]): Map<string, StoredResult[]> {
  const groups = new Map<string, StoredResult[]>();
  for (const row of rows) {
    const group = groups.get(row.agent);
    if (group) group.push(toStoredResult(row));
    else groups.set(row.agent, [toStoredResult(row)]);
  }
  return groups;
}

/** Raw results in the column store, samples by the one owner of series. */
export function createClickhouseStore({ store, series, targets, clock }: Deps): ResultStore {
  const rules = { keyOf: createKeyCache(), targets };
  const reuse = createReuse(newColumns, (columns) => {
    for (const column of Object.values(columns)) column.reset();
  });

  async function latestOf(tenant: TenantId, { agentIds }: { agentIds: readonly string[] }): Promise<Map<string, StoredResult[]>> {
    checkAgents(agentIds);
    if (agentIds.length === 0) return new Map();
    const params = { agents: agentIds, fromMs: clock.now() - RETENTION_MS };
    return groupByAgent(await store.read<ResultRow>(tenant, LATEST, params, { maxRows: MAX_LATEST_ROWS }));
  }

  async function history(tenant: TenantId, query: HistoryQuery): Promise<StoredResult[]> {
    checkWindow(query);
    const { agentId: agent, type, target, before, fromMs, toMs } = query;
    const params = {
      agent,
      fromMs,
      toMs,
      limit: historyLimit(query.limit),
      ...(type && { type }),
      ...(target !== undefined && { target }),
      ...(before && { beforeMs: before.startedAtMs, beforeId: before.resultId }),
    };
    const sql = historySql({ type: type !== undefined, target: target !== undefined, before: before !== undefined });
    return (await store.read<ResultRow>(tenant, sql, params)).map(toStoredResult).reverse();
  }

  async function causeStrip(tenant: TenantId, query: CauseStripQuery): Promise<Map<string, (Cause | null)[]>> {
    const steps = stepsOf(query);
    checkAgents(query.agentIds);
    const strips = new Map(query.agentIds.map((id) => [id, new Array<Cause | null>(steps).fill(null)]));
    if (strips.size === 0) return strips;
    const params = { agents: query.agentIds, fromMs: query.fromMs, toMs: query.toMs, stepMs: query.stepMs };
    const rows = await store.read<{ agent: string; steps: number[]; causes: Cause[] }>(tenant, causeStripSql(query), params);
    for (const row of rows) {
      const strip = strips.get(row.agent);
      if (strip === undefined) continue;
      for (const [i, step] of row.steps.entries()) strip[step] = row.causes[i] ?? null;
    }
    return strips;
  }

  async function slowByStep(tenant: TenantId, window: { fromMs: number; toMs: number; stepMs: number }): Promise<number[]> {
    const counts = new Array<number>(stepsOf(window)).fill(0);
    const rows = await store.read<{ step: number; agents: number }>(tenant, slowByStepSql(window), { ...window });
    for (const { step, agents } of rows) counts[step] = agents;
    return counts;
  }

  return {
    newBatch: () => newBatch({ store, series, reuse }, rules),
    all: (tenant) => readAllResults({ store, clock }, tenant),
    latestOf,
    latest: async (tenant, agentId) => (await latestOf(tenant, { agentIds: [agentId] })).get(agentId) ?? [],
    history,
    ...createWindowReads(store),
    causeStrip,
    slowByStep,
    async causeSpans(tenant, { agentId, fromMs, toMs }) {
      checkWindow({ fromMs, toMs });
      return spansOf(await store.read<Verdict>(tenant, VERDICTS, { agent: agentId, fromMs, toMs }), toMs);
    },
  };
}

function newBatch(
  { store, series, reuse }: Pick<Deps, 'store' | 'series'> & { reuse: Reuse<Columns> },
  rules: SeriesRules,
): ResultBatch {
  const samples = series.batch();
  const columns = reuse.take();
  const rows = createRowBuilder(columns, samples, rules);
  return {
    add: rows.add,
    async write() {
      if (rows.rows === 0) return;
      await Promise.all([store.write(rows.block()), samples.rows > 0 ? samples.write() : undefined]);
      reuse.give(columns);
    },
  };
}
