import { RUM_THRESHOLDS } from '@svc/contracts/rum/kinds';
import type { TenantId } from '#kernel';
import { assertFence, type Fence } from '#relational';
import type { RumViewsDeps } from './context.ts';
import { RUM_KINDS, stepEpisode } from './domain/episode.ts';
import { judgeTests, judgeUsers, verdictOf, type WindowViews } from './domain/judge.ts';
import { signalWords, toSignal } from './domain/signals-of.ts';
import { readHosts } from './host-store.ts';
import { OTHER_HOST } from './known.ts';
import type { HostOfApp, ViewReader } from './reader.ts';
import { type JudgedHost, readVerdicts, type SpanRow, writeSpans, writeVerdicts } from './verdict-store.ts';

const WINDOW_MS = RUM_THRESHOLDS.windowMinutes * 60_000;
const SCOPE = 'rum';

export type EvaluateDeps = Pick<RumViewsDeps, 'relational' | 'outcomesOfHosts' | 'signals' | 'clock' | 'log'> & {
  reader: ViewReader;
};

const keyOf = ({ app, host }: HostOfApp): string => `${app}\n${host}`;

const NO_VIEWS: WindowViews = { views: 0, hurt: 0, affected: 0, p75LcpMs: undefined };

interface Facts {
  nowMs: number;
  views: ReadonlyMap<string, WindowViews>;
  outcomes: Awaited<ReturnType<EvaluateDeps['outcomesOfHosts']>>;
  before: ReadonlyMap<string, JudgedHost>;
}

/** One host, out of the stores alone. */
export function judgeHost(
  of: HostOfApp,
  { nowMs, views, outcomes, before }: Facts,
): { judged: JudgedHost; span: SpanRow | undefined } {
  const users = judgeUsers(views.get(keyOf(of)) ?? NO_VIEWS);
  const tests = judgeTests(outcomes.get(of.host));
  const verdict = verdictOf(users, tests);
  const known = before.get(keyOf(of));
  const { standing, raises } = stepEpisode(known, { verdict, sufficient: users.sufficient, nowMs });
  const { episode } = standing;
  if (episode && raises) {
    const words = signalWords({ ...of, state: 'judged', verdict, users, tests }, nowMs);
    episode.signalled = { ...episode.signalled, [raises]: words };
  }
  const judged: JudgedHost = { ...of, ...standing, judgedAtMs: nowMs, users, tests };
  const begins = known === undefined || known.sinceMs !== standing.sinceMs;
  const from = { from_at: new Date(standing.sinceMs), verdict, sufficient: users.sufficient };
  return { judged, span: begins ? { ...of, ...from, users, tests, signalled: raises !== undefined } : undefined };
}

/** Of every host of a tenant: what the last 15 minutes say, and what of it is signalled. */
export async function judgeTenant(deps: EvaluateDeps, tenant: TenantId, fence: Fence): Promise<void> {
  const { relational, reader, outcomesOfHosts, clock } = deps;
  const nowMs = clock.now();
  const span = { fromMs: nowMs - WINDOW_MS, toMs: nowMs };
  const { hosts, verdicts } = await relational.withSystemSql(tenant, async (sql) => ({
    hosts: (await readHosts(sql)).filter(({ host }) => host !== OTHER_HOST),
    verdicts: await readVerdicts(sql),
  }));
  if (hosts.length === 0 && verdicts.length === 0) return;
  const [views, outcomes] = await Promise.all([
    reader.judged(tenant, span),
    outcomesOfHosts(tenant, [...new Set(hosts.map(({ host }) => host))], span),
  ]);
  const facts: Facts = {
    ...{ nowMs, outcomes },
    views: new Map(views.map((one) => [keyOf(one), one])),
    before: new Map(verdicts.map((one) => [keyOf(one), one])),
  };
  const found = hosts.map(({ app, host }) => judgeHost({ app, host }, facts));
  await relational.withSystemSql(tenant, async (sql) => {
    await assertFence(sql, fence);
    await writeVerdicts(
      sql,
      tenant,
      found.map(({ judged }) => judged),
    );
    await writeSpans(
      sql,
      tenant,
      found.flatMap((one) => one.span ?? []),
    );
  });
  await signal(
    deps,
    { tenant, fence },
    found.map(({ judged }) => judged),
  );
}

/**
 * All episodes that are open now, as they signalled. Told again each time, from what is stored: a process that dies between the two is made
 * up for by the next one, and what is told twice is one.
 */
async function signal(
  { signals }: EvaluateDeps,
  at: { tenant: TenantId; fence: Fence },
  judged: readonly JudgedHost[],
): Promise<void> {
  for (const kind of RUM_KINDS) {
    const present = judged.flatMap(({ app, host, episode }) => {
      const words = episode?.signalled[kind];
      return words ? [toSignal(kind, { app, host }, words)] : [];
    });
    await signals.settle(at.tenant, { plane: 'rum', kind, scope: SCOPE, fence: at.fence }, present);
  }
}
