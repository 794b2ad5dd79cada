import { RUM_STATES, RUM_THRESHOLDS, RUM_VERDICTS, type RumState, VITALS, type Vital } from '@svc/contracts/rum/kinds';
import type { P75, RumRow } from '@svc/contracts/rum/views';
import type { TenantId } from '#kernel';
import type { KnownApp } from '../apps-port.ts';
import type { RumViewsContext } from '../context.ts';
import { RUM_KINDS } from '../domain/episode.ts';
import { judgeTests, judgeUsers, toWindow, verdictOf } from '../domain/judge.ts';
import type { Said } from '../domain/sentence.ts';
import { sentenceOf } from '../domain/sentence.ts';
import { dedupKeyOf } from '../domain/signals-of.ts';
import { type HostRow, readHosts } from '../host-store.ts';
import { OTHER_HOST } from '../known.ts';
import type { Figures, HostOfApp, Usual } from '../reader.ts';
import { type JudgedHost, readVerdicts } from '../verdict-store.ts';

const WINDOW_MS = RUM_THRESHOLDS.windowMinutes * 60_000;
/** What is usual is told from a day of views on. */
export const USUAL_HOURS = 24;

export interface ShownRow {
  row: RumRow;
  said: Said;
  judged: JudgedHost | undefined;
}

/** p75 of those vitals that enough views have. */
export const toP75 = (vitals: Figures['vitals'] | undefined): P75 => {
  const p75: Partial<Record<Vital, number>> = {};
  for (const vital of VITALS) {
    const { views = 0, p75: value } = vitals?.[vital] ?? {};
    if (value !== undefined && views >= RUM_THRESHOLDS.views) p75[vital] = value;
  }
  return p75;
};

interface Facts {
  figures: ReadonlyMap<string, Figures>;
  verdicts: ReadonlyMap<string, JudgedHost>;
  usual: ReadonlyMap<string, Usual>;
  incidents: ReadonlyMap<string, { id: string; number: number }>;
}

interface Place {
  appId: string;
  app: string;
  host: string | null;
  /** Of the app. */
  madeAt: Date;
  seen: HostRow | undefined;
}

const keyOf = ({ app, host }: HostOfApp): string => `${app}\n${host}`;

function stateOf({ seen }: Place, sufficient: boolean, views: number): RumState {
  if (!seen) return 'waiting';
  if (sufficient) return 'judged';
  return views > 0 ? 'too_few' : 'quiet';
}

/** A host as it stands: what is judged of it each minute, and its figures of now. */
function toRow(place: Place, facts: Facts): ShownRow {
  const of = { app: place.app, host: place.host ?? '' };
  const figures = facts.figures.get(keyOf(of));
  // What was judged of a former app of this name is not of this one.
  const judged = place.seen && facts.verdicts.get(keyOf(of));
  const users = judgeUsers(toWindow(figures));
  const tests = judged?.tests ?? judgeTests(undefined);
  const said: Said = {
    host: place.host ?? place.app,
    // Before the first judgement it is what the views of now say.
    ...(judged ? { verdict: judged.verdict, users: judged.users } : { verdict: verdictOf(users, tests), users }),
    tests,
    state: stateOf(place, judged?.sufficient ?? users.sufficient, users.views),
  };
  const usual = facts.usual.get(keyOf(of));
  const row: RumRow = {
    ...{ app_id: place.appId, app: place.app, host: place.host, state: said.state },
    ...{ verdict: said.verdict, sufficient: said.users.sufficient },
    since: judged ? new Date(judged.sinceMs).toISOString() : null,
    sentence: sentenceOf(said),
    views: users.views,
    usual_views: usual && usual.hours >= USUAL_HOURS ? usual.views : null,
    error_rate: users.error_rate,
    views_with_errors: figures?.withErrors ?? 0,
    views_with_failed_requests: figures?.withFailed ?? 0,
    p75: toP75(figures?.vitals),
    tests: tests.tested ? { runs: tests.runs, failed: tests.failed } : null,
    incident: facts.incidents.get(dedupKeyOf(of)) ?? null,
    first_beacon_at: place.seen && place.seen.first_at >= place.madeAt ? place.seen.first_at.toISOString() : null,
    last_beacon_at: place.seen?.last_at.toISOString() ?? null,
  };
  return { row, said, judged };
}

/** Hosts that beacons came of, and those that an app is registered for and that none came of. */
function placesOf(apps: readonly KnownApp[], seen: readonly HostRow[]): Place[] {
  const byApp = Map.groupBy(seen, ({ app }) => app);
  return apps.flatMap(({ id, name, hosts, created_at: madeAt }) => {
    const own = (byApp.get(name) ?? []).filter(({ host, last_at: lastAt }) => host !== OTHER_HOST && lastAt >= madeAt);
    const known = new Set(own.map(({ host }) => host));
    const awaited = hosts.filter((host) => !host.startsWith('*.') && !known.has(host));
    const place = { appId: id, app: name, madeAt };
    const waiting = own.length === 0 && awaited.length === 0 ? [null] : awaited;
    return [
      ...own.map((row) => ({ ...place, host: row.host, seen: row })),
      ...waiting.map((host) => ({ ...place, host, seen: undefined })),
    ];
  });
}

/** Incidents that users of a host are of now, by the key of its signal. */
async function readIncidents(
  { signals }: RumViewsContext,
  tenant: TenantId,
): Promise<Map<string, { id: string; number: number }>> {
  const open = await Promise.all(RUM_KINDS.map((kind) => signals.openKeys(tenant, kind)));
  return new Map(open.flat().flatMap(({ dedupKey, incident }) => (incident ? [[dedupKey, incident] as const] : [])));
}

/** Every host of a tenant, or one of them. */
export async function readRows(context: RumViewsContext, tenant: TenantId, of?: HostOfApp): Promise<ShownRow[]> {
  const { relational, reader, clock } = context;
  const nowMs = clock.now();
  const [apps, stored, figures, usual, incidents] = await Promise.all([
    context.apps().apps(tenant),
    relational.withTenantSql(tenant, async (sql) => ({ hosts: await readHosts(sql), verdicts: await readVerdicts(sql, of) })),
    reader.everyHost(tenant, { fromMs: nowMs - WINDOW_MS, toMs: nowMs + 1 }, of),
    context.usualOf(tenant),
    readIncidents(context, tenant),
  ]);
  const facts: Facts = {
    figures: new Map(figures.map((one) => [keyOf(one), one])),
    verdicts: new Map(stored.verdicts.map((one) => [keyOf(one), one])),
    usual,
    incidents,
  };
  const places = placesOf(apps, stored.hosts);
  const wanted = of ? places.filter(({ app, host }) => app === of.app && host === of.host) : places;
  return wanted.map((place) => toRow(place, facts));
}

/** All words of a closed list with how often each is there. */
const countBy = <Word extends string>(words: readonly Word[], all: readonly Word[]): Record<Word, number> =>
  Object.fromEntries(words.map((word) => [word, all.filter((one) => one === word).length])) as Record<Word, number>;

export const countRows = (rows: readonly ShownRow[]) => ({
  verdicts: countBy(
    RUM_VERDICTS,
    rows.map(({ row }) => row.verdict),
  ),
  states: countBy(
    RUM_STATES,
    rows.map(({ row }) => row.state),
  ),
});
