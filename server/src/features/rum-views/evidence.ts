import type { EvidenceQuestion, PlaneEvidence, UsersFact } from '@svc/contracts/causes/facts';
import { RUM_THRESHOLDS } from '@svc/contracts/rum/kinds';
import { canonicalHost } from '@svc/contracts/tests/target';
import type { TenantId } from '#kernel';
import type { RumViewsContext } from './context.ts';
import { harmOnset } from './domain/harm-onset.ts';
import { judgeUsers, toWindow } from './domain/judge.ts';
import { readHosts } from './host-store.ts';
import { OTHER_HOST } from './known.ts';
import type { Figures, HostOfApp } from './reader.ts';
import { type JudgedHost, readVerdicts } from './verdict-store.ts';

/** What real users know about an incident (docs/causes.md): how those of its host are served, against what is usual there. */

type Deps = Pick<RumViewsContext, 'relational' | 'reader'>;

/** Apps that are seen on one host. */
const MAX_APPS = 5;
const MINUTE_MS = 60_000;
/** Users are hurt some time before their window says so: what is usual ends this long before the harm was noticed. */
const EARLIER_MS = 30 * MINUTE_MS;

const shareOf = (figures: Figures | undefined): number =>
  !figures || figures.views === 0 ? 0 : (figures.affected ?? figures.hurt) / figures.views;
const errorShareOf = (figures: Figures | undefined): number =>
  !figures || figures.views === 0 ? 0 : figures.hurt / figures.views;

/** A verdict of the time of the harm; an older one is of other views. */
function verdictWithin(known: JudgedHost | undefined, { sinceMs, toMs }: EvidenceQuestion): JudgedHost['users'] | undefined {
  const latestMs = toMs + RUM_THRESHOLDS.windowMinutes * MINUTE_MS;
  return known?.sufficient && known.judgedAtMs >= sinceMs && known.judgedAtMs <= latestMs ? known.users : undefined;
}

/** Views of one app on the host; undefined where too few came to say anything. */
async function findOfApp(
  { reader }: Deps,
  tenant: TenantId,
  { of, question, known }: { of: HostOfApp; question: EvidenceQuestion; known: JudgedHost | undefined },
): Promise<UsersFact | undefined> {
  const { fromMs, sinceMs, toMs } = question;
  const usualEndMs = Math.max(fromMs, sinceMs - EARLIER_MS);
  const [[usual], minutes] = await Promise.all([
    reader.everyHost(tenant, { fromMs, toMs: usualEndMs, background: true }, of),
    reader.minutes(tenant, of, { fromMs: usualEndMs, toMs }),
  ]);
  const onsetMs = harmOnset(
    minutes.map((one) => ({ atMs: one.atMs, views: one.views, affected: one.affected ?? one.hurt })),
    shareOf(usual),
  );
  const [since] = await reader.everyHost(tenant, { fromMs: onsetMs ?? sinceMs, toMs, background: true }, of);
  const users = judgeUsers(toWindow(since));
  const said = verdictWithin(known, question);
  const told = users.sufficient ? users : said;
  if (!told) return undefined;
  return {
    kind: 'users',
    ...of,
    atMs: onsetMs ?? sinceMs,
    ...{ views: told.views, errorRatio: told.error_rate ?? 0, usualErrorRatio: errorShareOf(usual) },
    ...{ p75LcpMs: told.p75_lcp_ms, usualP75LcpMs: usual?.vitals.lcp.p75 ?? null },
    isDegraded: told.degraded || said?.degraded === true,
  };
}

/** Bounded: one fact for each of at most five apps of the target's host. */
export async function findUserEvidence(deps: Deps, tenant: TenantId, question: EvidenceQuestion): Promise<PlaneEvidence> {
  const host = question.target === null ? undefined : canonicalHost(question.target);
  const { hosts, verdicts } = await deps.relational.withSystemSql(tenant, async (sql) => ({
    hosts: (await readHosts(sql)).filter((one) => one.host === host && one.host !== OTHER_HOST).slice(0, MAX_APPS),
    verdicts: await readVerdicts(sql),
  }));
  if (hosts.length === 0)
    return { plane: 'rum', facts: [], notMeasured: ['No page of this target tells how its visitors are served.'] };
  const found = await Promise.all(
    hosts.map(({ app, host: name }) => {
      const known = verdicts.find((one) => one.app === app && one.host === name);
      return findOfApp(deps, tenant, { of: { app, host: name }, question, known });
    }),
  );
  const facts = found.filter((fact) => fact !== undefined);
  const few = `Fewer than ${RUM_THRESHOLDS.views} page views came since the harm began.`;
  return { plane: 'rum', facts, notMeasured: facts.length < hosts.length ? [few] : [] };
}
