import { RUM_RELEASES } from '@svc/rum-sdk/releases';
import { checkExpression, checkJsonPath } from '@svc/runner/check-patterns';
import { systemClock, type TenantId } from '#kernel';
import { createRum } from '../../features/rum/index.ts';
import { createRumViews, type HostOutcome } from '../../features/rum-views/index.ts';
import type { TestsThread } from '../../features/test-pages/context.ts';
import { createTestPages } from '../../features/test-pages/index.ts';
import { createTestRuns } from '../../features/test-runs/index.ts';
import { createTests } from '../../features/tests/index.ts';
import { IS_DEMO_BUILD } from '../../process/build-info.ts';
import type { Platform } from '../platform.ts';
import type {
  Audit,
  Changes,
  DiskShares,
  Identity,
  Incidents,
  Quarantine,
  Rum,
  RumViews,
  Runners,
  SelfMetrics,
  TestPages,
  TestRuns,
  Tests,
} from '../threads.ts';

interface RunsThreads {
  quarantine: Pick<Quarantine, 'bus'>;
  selfMetrics: Pick<SelfMetrics, 'telemetry'>;
  tests: Pick<Tests, 'failingAfterOf' | 'read'>;
}

export const composeTestRuns = ({ config, stores, log }: Platform, slices: RunsThreads) =>
  createTestRuns({
    bus: slices.quarantine.bus,
    relational: stores.relational,
    telemetry: slices.selfMetrics.telemetry,
    blobs: stores.blobs,
    failingAfterOf: (tenant) => slices.tests.failingAfterOf(tenant),
    testsOf: async (tenant) => (await slices.tests.read(tenant)).byId,
    metricDays: config.metrics.application,
    maxEvidenceBytes: config.tests.maxEvidenceBytes,
    clock: systemClock,
    log,
  });

interface PagesThreads {
  audit: Pick<Audit, 'appendAudit' | 'readChanges'>;
  testRuns: Pick<TestRuns, 'queries'>;
  runners: Pick<Runners, 'known' | 'runOnce'>;
  incidents: Pick<Incidents, 'settle' | 'openKeys'>;
  tests: TestsThread;
}

export const composeTestPages = ({ stores, log }: Platform, slices: PagesThreads) =>
  createTestPages({
    relational: stores.relational,
    appendAudit: slices.audit.appendAudit,
    // Made after this slice, asked for once all are there.
    tests: () => slices.tests,
    listRunners: (tenant) => slices.runners.known(tenant),
    runOnce: (...asked) => slices.runners.runOnce(...asked),
    readChanges: slices.audit.readChanges,
    runs: slices.testRuns.queries,
    signals: slices.incidents,
    clock: systemClock,
    log,
  });

interface TestsThreads {
  audit: Pick<Audit, 'appendAudit'>;
  identity: Pick<Identity, 'nameActors'>;
  testRuns: Pick<TestRuns, 'queries'>;
  testPages: Pick<TestPages, 'pageProcedures' | 'readRow'>;
  runners: Pick<Runners, 'facts'>;
}

export const composeTests = ({ config, stores, log }: Platform, slices: TestsThreads) =>
  createTests({
    relational: stores.relational,
    sealer: stores.sealer,
    appendAudit: slices.audit.appendAudit,
    listRunners: (tenant) => slices.runners.facts(tenant),
    nameActors: slices.identity.nameActors,
    readRow: slices.testPages.readRow,
    storeEvidence: slices.testRuns.queries.storeEvidence,
    pages: slices.testPages.pageProcedures,
    patterns: { expression: checkExpression, jsonPath: checkJsonPath },
    bounds: config.tests,
    clock: systemClock,
    log,
  });

/** Real users, who are judged beside tests. */
interface ViewsThreads {
  quarantine: Pick<Quarantine, 'bus'>;
  selfMetrics: Pick<SelfMetrics, 'telemetry'>;
  testPages: Pick<TestPages, 'outcomesOfHosts'>;
  incidents: Pick<Incidents, 'settle' | 'openKeys' | 'ofTarget'>;
  changes: Pick<Changes, 'changesOn'>;
  rum: Pick<Rum, 'queries'>;
}

/** What tests say of hosts, of those that any test asks. */
const readOutcomes =
  ({ testPages }: Pick<ViewsThreads, 'testPages'>) =>
  async (
    tenant: TenantId,
    hosts: readonly string[],
    span: { fromMs: number; toMs: number },
  ): Promise<Map<string, HostOutcome>> => {
    const found = await testPages.outcomesOfHosts(tenant, hosts, span);
    return new Map(
      [...found].flatMap(([host, { passed, failed, tests }]) => {
        if (tests.length === 0) return [];
        const failing = tests
          .filter((test) => test.failed > 0)
          .sort((a, b) => b.failed - a.failed)
          .map((test) => ({ id: test.id, name: test.name, runs: test.passed + test.failed, failed: test.failed }));
        return [[host, { passed, failed, failing }] as const];
      }),
    );
  };

export const composeRumViews = ({ stores, log }: Platform, slices: ViewsThreads) =>
  createRumViews({
    bus: slices.quarantine.bus,
    relational: stores.relational,
    telemetry: slices.selfMetrics.telemetry,
    // Made after this slice, asked once all are there.
    apps: () => slices.rum.queries,
    outcomesOfHosts: readOutcomes(slices),
    signals: slices.incidents,
    incidentsOf: (...asked) => slices.incidents.ofTarget(...asked),
    changesOf: async (tenant, target, { fromMs, toMs }) => {
      const span = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
      const found = await slices.changes.changesOn(tenant, { targets: [target], ...span });
      return found.map(({ id, number, title, occurred_at: at }) => ({ id, number, title, at }));
    },
    takesPast: IS_DEMO_BUILD,
    clock: systemClock,
    log,
  });

interface AppsThreads {
  audit: Pick<Audit, 'appendAudit'>;
  diskShares: Pick<DiskShares, 'bus'>;
  identity: Pick<Identity, 'ensureTenant' | 'nameActors'>;
  rumViews: Pick<RumViews, 'pageProcedures' | 'judgePast'>;
}

export const composeRum = ({ config, stores, log }: Platform, slices: AppsThreads) =>
  createRum({
    bus: slices.diskShares.bus,
    relational: stores.relational,
    config: { ...config.rum, publicUrl: config.publicUrl },
    releases: RUM_RELEASES.map(({ hash, integrity, text }) => ({ hash, integrity, bytes: Buffer.from(text, 'utf8') })),
    appendAudit: slices.audit.appendAudit,
    ensureTenant: async (tenant) => void (await slices.identity.ensureTenant(tenant, { name: tenant, simulated: false })),
    nameActors: slices.identity.nameActors,
    pages: slices.rumViews.pageProcedures,
    judgePast: IS_DEMO_BUILD ? slices.rumViews.judgePast : undefined,
    clock: systemClock,
    log,
  });
