import { assignRunners } from '@svc/contracts/tests/assign';
import type { KnownRunner, RunnerFacts } from '@svc/contracts/tests/runner';
import type { RunnerList } from '@svc/contracts/tests/runner-api';
import type { RunnerView } from '@svc/contracts/tests/views';
import type { TenantId } from '#kernel';
import { type BuiltInRow, builtInFacts, readBuiltIn } from './built-in/built-in-state.ts';
import type { RunnersDeps } from './context.ts';
import type { PlanKeeper } from './plan/plan-keeper.ts';
import { type RunnerRow, readRunners, toFacts, toView } from './store.ts';

type Deps = Pick<RunnersDeps, 'relational' | 'clock' | 'tests'>;

interface Read {
  builtIn: BuiltInRow | undefined;
  rows: RunnerRow[];
  nowMs: number;
}

async function read({ relational, clock }: Deps, tenant: TenantId): Promise<Read> {
  const [builtIn, rows] = await Promise.all([readBuiltIn(relational), relational.withSystemSql(tenant, readRunners)]);
  return { builtIn, rows, nowMs: clock.now() };
}

const factsOf = ({ builtIn, rows, nowMs }: Read): RunnerFacts[] => [
  builtInFacts(builtIn, nowMs),
  ...rows.map((row) => toFacts(row, nowMs)),
];

/** All runners that a test of this tenant may name, the built-in one first. */
export const listFacts = async (deps: Deps, tenant: TenantId): Promise<RunnerFacts[]> => factsOf(await read(deps, tenant));

/** The same with when they were heard of last: for people, since it is another each time. */
export async function listKnown(deps: Deps, tenant: TenantId): Promise<KnownRunner[]> {
  const found = await read(deps, tenant);
  return factsOf(found).map((facts, i) => {
    const row = found.rows[i - 1];
    if (!row) return { ...facts, contactAtMs: found.builtIn?.contactAt.getTime() };
    return { ...facts, contactAtMs: row.contact_at?.getTime(), sinceMs: row.enrolled_at.getTime() };
  });
}

function builtInView({ builtIn, nowMs }: Read, tests: number): RunnerView {
  const { connected, ...facts } = builtInFacts(builtIn, nowMs);
  return {
    ...facts,
    built_in: true,
    connected,
    site: null,
    version: builtIn?.state.version ?? null,
    connected_since: connected ? (builtIn?.connectedAt.toISOString() ?? null) : null,
    contact_at: builtIn?.contactAt.toISOString() ?? null,
    tests,
    cpu_ratio: builtIn?.state.cpu_ratio ?? null,
    rss_bytes: builtIn?.state.rss_bytes ?? null,
    spool_results: builtIn?.state.waiting ?? null,
    clock_skew_ms: null,
    enrolled_at: null,
    certificate_expires_at: null,
    upgrade_required: false,
  };
}

/** The page of runners, each with how many tests it has now. */
export async function listViews(deps: Deps, keeper: Pick<PlanKeeper, 'planned'>, tenant: TenantId): Promise<RunnerList> {
  const found = await read(deps, tenant);
  const planned = keeper.planned(tenant) ?? (await deps.tests().planOf(tenant));
  const facts = factsOf(found);
  const counts = new Map<string, number>();
  for (const { test } of planned) {
    if (!test.enabled) continue;
    for (const { id, idle } of assignRunners(test, facts)) if (!idle) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const { rows, nowMs } = found;
  return {
    items: [
      builtInView(found, counts.get(facts[0]?.id ?? '') ?? 0),
      ...rows.map((row) => toView(row, { nowMs, tests: counts.get(row.id) ?? 0 })),
    ],
  };
}
