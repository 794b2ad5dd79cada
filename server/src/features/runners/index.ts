import type { RunReport } from '@svc/contracts/tests/run-report';
import type { KnownRunner, RunnerFacts } from '@svc/contracts/tests/runner';
import type { FastifyInstance } from 'fastify';
import { AppError, actorOf, type HasRole, isTenantId, type RowsOfTable, type Slice, type TenantId } from '#kernel';
import { eraseTables, type PagedTable, readPages } from '#relational';
import { createRunnersProcedures, type RunnersVerbs } from './api.ts';
import { createBuiltInRunner } from './built-in/built-in-runner.ts';
import { nameRunners, notifyRunners, RUNNERS_CHANNEL, removeRunner, updateRunner } from './change.ts';
import { createAskReplicas } from './connect/ask-replicas.ts';
import { createRunnerConnect } from './connect/connect.ts';
import { createRunHere } from './connect/run-elsewhere.ts';
import type { RunnersDeps } from './context.ts';
import { mountRunnerRoutes } from './identity/routes.ts';
import { createRunnerVerifier } from './identity/verify-runner.ts';
import { listFacts, listKnown, listViews } from './list.ts';
import { createPlanKeeper, type PlanKeeper } from './plan/plan-keeper.ts';
import { createPublish } from './publish.ts';
import { createRunOnce, createSecretsOf, type OnProgress, type RunOnce } from './run-once.ts';
import { canaryCommand, listRunnerTokens, mintRunnerToken, presentTokens, revokeRunnerToken } from './tokens.ts';

export type { RunnersDeps, TestsThread } from './context.ts';

// Keys and hashes of secrets are no data of the tenant and stay here.
const EXPORTED: readonly PagedTable[] = [
  {
    table: 'runners',
    columns: [
      ...['id', 'name', 'labels', 'site', 'version', 'protocol', 'lacks', 'enrolled_at', 'connected_at', 'contact_at'],
      'revoked_at',
    ],
    key: ['id'],
  },
  {
    table: 'runner_tokens',
    columns: [
      ...['id', 'name', 'labels', 'site', 'uses', 'used', 'expires_at', 'created_at', 'created_by', 'last_used_at'],
      'revoked_at',
    ],
    key: ['id'],
  },
];
const ERASED = ['runner_requests', 'runner_renewals', 'runners', 'runner_tokens'].map((table) => ({ table }));

const createVerbs = (deps: RunnersDeps, keeper: PlanKeeper): RunnersVerbs => ({
  list: async (ctx) => await listViews(deps, keeper, ctx.principal.tenant),
  createToken: async (ctx, input) => {
    const { tenant } = ctx.principal;
    const { token, kept } = await mintRunnerToken(deps, { tenant, actor: actorOf(ctx.principal) }, input);
    const [shown] = await presentTokens(deps, tenant, [kept]);
    if (!shown) throw new AppError('internal', 'The token was not kept.');
    return { token, command: canaryCommand(deps.serverUrl, token), runner_token: shown };
  },
  listTokens: async (ctx) => await listRunnerTokens(deps, ctx),
  revokeToken: async (ctx, input) => await revokeRunnerToken(deps, ctx, input),
  update: async (ctx, input) => await updateRunner(deps, ctx, input),
  remove: async (ctx, input) => await removeRunner(deps, ctx, input),
});

/** What compose/ gives to other slices, and the command line uses. */
const createTools = (deps: RunnersDeps, runOnce: ReturnType<typeof createRunOnce>) => ({
  /** Those that a test of this tenant may name, the built-in one first. */
  facts: async (tenant: TenantId): Promise<RunnerFacts[]> => await listFacts(deps, tenant),
  known: async (tenant: TenantId): Promise<KnownRunner[]> => await listKnown(deps, tenant),
  /** Runs a test now and gives its report; AppError where its runner is not there or not connected. */
  runOnce: async (tenant: TenantId, wanted: RunOnce, onProgress?: OnProgress): Promise<RunReport> =>
    await runOnce(tenant, wanted, onProgress),
  nameRunners: async (tenant: TenantId, ids: readonly string[]) => await nameRunners(deps, tenant, ids),
});

/** The parts, tied. */
function createParts(deps: RunnersDeps) {
  const { clock, log } = deps;
  const publish = createPublish(deps);
  const keeper = createPlanKeeper({ tests: deps.tests, listFacts: (tenant) => listFacts(deps, tenant), log });
  const builtIn = createBuiltInRunner({ ...deps, keeper, publish, onChanged: () => keeper.noteAll() });
  const secretsOf = createSecretsOf(deps.tests);
  const verifier = createRunnerVerifier(deps);
  const { runHere, onAnswer } = createRunHere({ find: (...runner) => connect.find(...runner), clock });
  const connect = createRunnerConnect({ ...deps, keeper, publish, onAnswer });
  const replicas = createAskReplicas({ ...deps, find: connect.find, runHere, secretsOf });
  const runOnce = createRunOnce({ secretsOf, publish, openBuiltIn: builtIn.open, runElsewhere: replicas.runElsewhere });
  return { keeper, builtIn, verifier, connect, replicas, runOnce };
}

type Parts = ReturnType<typeof createParts>;

/** Hears of changes by this and other replicas; gives what ends it. */
async function startListening(deps: RunnersDeps, { keeper, verifier, replicas }: Parts): Promise<() => Promise<void>> {
  deps.tests().onChanged((tenant) => (tenant === undefined ? keeper.noteAll() : keeper.noteTests(tenant)));
  const failed = (error: unknown): void => deps.log.error({ err: error }, 'a notification of runners could not be followed');
  const stops = [
    await deps.relational.listen(RUNNERS_CHANNEL, (payload) =>
      isTenantId(payload) ? keeper.noteRunners(payload) : keeper.noteAll(),
    ),
    await verifier.start(failed),
    await replicas.start(),
  ];
  return async () => {
    for (const stop of stops) await stop();
  };
}

/**
 * Runners of synthetic tests: who they are, what they run, what they measured (docs/tests/runners.md). The built-in one is leased: one process of role
 * `evaluate` runs it.
 */
export function createRunners(deps: RunnersDeps) {
  const { relational } = deps;
  const parts = createParts(deps);
  const { keeper, builtIn, verifier, connect } = parts;
  let stopListening = async (): Promise<void> => {};
  const slice = {
    name: 'runners',
    roles: ['api', 'ingest', 'evaluate'],
    routes: (app: FastifyInstance): void => mountRunnerRoutes(app, deps),
    grpc: [connect.mount],
    procedures: createRunnersProcedures(createVerbs(deps, keeper)),
    start: async (hasRole: HasRole): Promise<void> => {
      stopListening = await startListening(deps, parts);
      if (hasRole('evaluate')) builtIn.start();
    },
    data: {
      owns: { relational: [...ERASED.map(({ table }) => table), 'runner_token_directory', 'built_in_runner'] },
      async *exportRows(tenant: TenantId): AsyncGenerator<RowsOfTable> {
        for (const table of EXPORTED)
          for await (const rows of readPages(relational, tenant, table)) yield { table: table.table, rows };
      },
      eraseTenant: async (tenant: TenantId) => {
        const erased = await eraseTables(relational, tenant, ERASED);
        await relational.withSystemSql(tenant, notifyRunners);
        await verifier.recheck();
        return erased;
      },
      // A runner is a machine of the tenant and nobody's.
      eraseSubject: async () => ({}),
    },
    close: async (): Promise<void> => {
      await stopListening();
      await builtIn.close();
      keeper.close();
    },
  } satisfies Slice;
  return { ...slice, ...createTools(deps, parts.runOnce), speakers: verifier.speakers, connected: connect.connected };
}
