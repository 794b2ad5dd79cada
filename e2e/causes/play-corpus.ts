import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RootCause } from '@svc/contracts/causes/root-cause';
import { MINUTE_MS, type Scenario } from '@svc/simulator/causes/scenario';
import { raiseShared } from '../../server/src/features/endpoint/raise-shared.ts';
import type { Fence } from '../../server/src/relational/index.ts';
import { deliverChanges, refOf } from './deliver-changes.ts';
import type { CausesProduct } from './open-product.ts';
import { publishSignals } from './publish-signals.ts';
import { contactDevices, contactRunners, type Played, settleTenant } from './settle-tenant.ts';

/** Plays scenarios, each in a tenant of its own and all on one clock, and asks for the root cause as the panel does. */

export interface Outcome {
  scenario: Scenario;
  /** The panel's answer; undefined where no incident was opened. */
  answer: RootCause | undefined;
  /** Label of the change by the id that hypotheses name it by. */
  labels: ReadonlyMap<string, string>;
}

export interface Playing {
  /** Waits for each minute instead of making it up. */
  isRealTime?: boolean;
  onProgress?: (what: string) => void;
  /** Hears each answer when it is there: a run that is ended early has said what it knew. */
  onOutcome?: (outcome: Outcome) => void;
}

const BEFORE_MINUTES = 64;
/** Views that wait for longer are not judged, so the time just before the harm is published bit by bit. */
const TIMELY_FROM = -16;
/** Minutes of the harm at which the evaluators look, and at which the panel is opened. */
const LOOKS = [2, 4, 6, 8, 11, 14, 18] as const;
const ASKED_AT = 20;
/** Harm begins within so many minutes of each other. */
const JITTER_MINUTES = 3;
/** Tenants that are worked on at once: they wait for the stores. */
const AT_ONCE = 3;
/** Longer than a look at all tenants takes on a busy machine. */
const LEASE_MS = 600_000;
const MAP_ROUNDS = 3;
/**
 * The made-up time lies so far ahead of the machine's own: threads of the product note by that one when rows were written, and a minute of the
 * map that was written just now is not computed yet.
 */
const AHEAD_MS = 40 * MINUTE_MS;

async function each<T>(list: readonly T[], work: (one: T, place: number) => Promise<void>): Promise<void> {
  const rest = [...list.entries()];
  const lane = async (): Promise<void> => {
    for (let next = rest.shift(); next; next = rest.shift()) await work(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

async function takeFence({ relational }: CausesProduct, lease: string): Promise<Fence> {
  const [row] = await relational.directory<{ fence: string }>('take_fenced_lease', [lease, 'causes', LEASE_MS]);
  return { lease, number: Number(row?.fence), signal: new AbortController().signal };
}

/** All minutes that are over. */
async function computeMap({ product }: CausesProduct, tenant: Played['tenant']): Promise<void> {
  for (let round = 0; round < MAP_ROUNDS && (await product.slices.topology.compute(tenant)) > 0; round += 1);
}

/** What the holders of the leases do each minute or half. */
async function look(causes: CausesProduct, all: readonly Played[], nowMs: number): Promise<void> {
  const { slices } = causes.product;
  const fences = { tests: await takeFence(causes, 'test-signals'), users: await takeFence(causes, 'rum-verdicts') };
  await each(all, async (played) => {
    const { tenant, scenario } = played;
    await contactDevices(causes, played, nowMs);
    await contactRunners(causes, played, nowMs);
    await slices.testPages.settle(tenant, fences.tests);
    if (played.devices.length > 0) await raiseShared({ ...causes, settle: slices.incidents.settle }, tenant);
    if (scenario.estate.users) await slices.rumViews.judge(tenant, fences.users);
    if (!scenario.estate.watchesEdges) return;
    await computeMap(causes, tenant);
    await slices.topology.raiseFailing(tenant);
  });
}

/** The first incident that a signal of the plane opened or joined since the harm began. */
const INCIDENT = `SELECT incident_id AS id FROM signals WHERE plane = $1 AND incident_id IS NOT NULL AND occurred_at >= $2
    AND kind NOT IN ('test.not_running', 'test.certificate_expiring') AND ($3::text IS NULL OR target = $3) ORDER BY occurred_at, seq LIMIT 1`;

async function ask(causes: CausesProduct, { scenario, tenant, onsetMs }: Played): Promise<Outcome> {
  await computeMap(causes, tenant);
  const caller = causes.callerOf(tenant);
  const labelOf = new Map(scenario.changes.map((one) => [refOf(one), one.label]));
  const { incidentId, rows } = await causes.relational.withTenantSql(tenant, async (sql) => ({
    incidentId: (
      await sql.query<{ id: string }>(INCIDENT, [scenario.asks, new Date(onsetMs - 5 * MINUTE_MS), scenario.about ?? null])
    ).rows[0]?.id,
    rows: (await sql.query<{ id: string; ref: string | null }>('SELECT id, ref FROM changes')).rows,
  }));
  const labels = new Map(rows.map(({ id, ref }) => [id, labelOf.get(ref ?? '') ?? 'a change that nobody told of']));
  return { scenario, labels, answer: incidentId === undefined ? undefined : await caller.causes.get({ id: incidentId }) };
}

export async function playCorpus(
  causes: CausesProduct,
  scenarios: readonly Scenario[],
  playing: Playing = {},
): Promise<Outcome[]> {
  const { isRealTime = false, onProgress = () => {}, onOutcome = () => {} } = playing;
  const endMs = Date.now() + (isRealTime ? ASKED_AT * MINUTE_MS : AHEAD_MS);
  const baseMs = Math.floor(endMs / MINUTE_MS) * MINUTE_MS - ASKED_AT * MINUTE_MS;
  const startMs = baseMs - BEFORE_MINUTES * MINUTE_MS;
  const run = randomUUID().slice(0, 6);
  causes.setNow(startMs);
  const all: Played[] = [];
  await each(scenarios, async (scenario, place) => {
    const onsetMs = baseMs - (scenario.seed % (JITTER_MINUTES * MINUTE_MS));
    all[place] = await settleTenant(causes, scenario, { id: `c-${run}-${place + 1}`, nowMs: startMs, onsetMs });
  });
  onProgress(`${all.length} tenants are there`);
  const timely = Array.from({ length: -TIMELY_FROM / 4 }, (_, n) => TIMELY_FROM + 4 * n);
  let fromMs = startMs;
  for (const minute of [...timely, 0, ...LOOKS, ASKED_AT]) {
    const nowMs = baseMs + minute * MINUTE_MS;
    if (isRealTime && Date.now() < nowMs) await sleep(nowMs - Date.now());
    causes.setNow(nowMs);
    for (const played of all) {
      await deliverChanges(causes, played, nowMs);
      await publishSignals(causes, played, { fromMs, toMs: nowMs, nowMs });
    }
    await causes.drained();
    if (minute > 0) await look(causes, all, nowMs);
    onProgress(`minute ${minute} of the harm`);
    fromMs = nowMs;
  }
  const outcomes: Outcome[] = [];
  await each(all, async (played, place) => {
    const outcome: Outcome = await ask(causes, played).catch((error: unknown) => {
      onProgress(`${played.scenario.name} was not answered: ${String(error)}`);
      return { scenario: played.scenario, answer: undefined, labels: new Map() };
    });
    outcomes[place] = outcome;
    onOutcome(outcome);
  });
  return outcomes;
}
