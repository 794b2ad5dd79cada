// Many incidents over six connectors while replicas are killed, providers fail a third of all calls and the database crashes; judged at the end.
// usage: node --conditions=svc-source bench/notify/chaos.ts [--seed 1] [--seeds 3] [--incidents 200] [--speed 40] [--calm 600]
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createChance, type Fault, failShare } from '@svc/testkit/providers/faults';
import { parseTenantId, type TenantId } from '../../server/src/kernel/index.ts';
import { createTenant, isDatabaseUnavailable } from '../../server/src/relational/index.ts';
import { judge } from './chaos-judge.ts';
import { KINDS, type Kind, type Stage, setStage } from './chaos-stage.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    incidents: { type: 'string', default: '200' },
    speed: { type: 'string', default: '40' },
    /** Seconds in which all that is left has to be done once everything answers again. */
    calm: { type: 'string', default: '600' },
  },
});
const INCIDENTS = Number(values.incidents);
/** Each incident has so many things happen to it, on average. */
const ACTS_EACH = 4;
const FAULTS: readonly Fault[] = [
  ...([{ kind: 'cut' }, { kind: 'drop' }, { kind: 'half_closed' }, { kind: 'html' }, { kind: 'wrong_json' }] as const),
  { kind: 'done_then', status: 502 },
  { kind: 'answer', status: 500 },
  { kind: 'answer', status: 503, headers: { 'retry-after': '3' } },
  { kind: 'answer', status: 429 },
];
/**
 * By Teams' contract a 5xx of it did nothing, and the message is sent again; and a 200 ran the flow, whose last step may answer with any body of
 * its own: what did neither breaks the contract, and nobody could be told of it.
 */
const NOT_AT_TEAMS = ['done_then', 'wrong_json'];
const faultsOf = (kind: Kind): readonly Fault[] => FAULTS.filter((one) => kind !== 'chat_b' || !NOT_AT_TEAMS.includes(one.kind));
/** At which somebody may resolve. */
const TALKING: readonly Kind[] = ['pager_a', 'pager_b', 'ticket_a', 'ticket_b'];

interface Play {
  stage: Stage;
  tenant: TenantId;
  chance: () => number;
  ids: string[];
  /** What was done how often. */
  done: Record<string, number>;
}

const count = ({ done }: Play, what: string): void => {
  done[what] = (done[what] ?? 0) + 1;
};

const AWAY = ['unavailable', 'internal', 'SERVICE_UNAVAILABLE'];
const codeOf = (error: unknown): string => String(Reflect.get(Object(error), 'code'));

/** Until the database is there again: whoever asked, or raises a signal, comes again too. */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + 30_000; ; await sleep(200)) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > end || !(isDatabaseUnavailable(error) || AWAY.includes(codeOf(error)))) throw error;
    }
  }
}

const NEWEST = 'SELECT id FROM incidents ORDER BY number DESC LIMIT 1';

async function open({ stage: { world, relational }, tenant, ids }: Play): Promise<void> {
  const number = ids.length;
  await insist(() => world.incidents.raise(tenant, world.failing(number)));
  const { rows } = await insist(() => relational.withSystemSql(tenant, (sql) => sql.query<{ id: string }>(NEWEST)));
  ids.push(rows[0]?.id ?? '');
}

/** A person does something at a provider, which tells of it. */
async function actThere(play: Play, id: string): Promise<void> {
  const { stage, tenant, chance } = play;
  const kind = TALKING[Math.floor(chance() * TALKING.length)] ?? 'pager_a';
  const thing = stage.sims[kind].sim.objects().findLast((one) => one.key === `svc-${id}` && one.state !== 'resolved');
  if (!thing) return;
  const what = chance() < 0.4 ? 'acknowledge' : 'resolve';
  await stage.sims[kind].sim.act(thing.id, what);
  count(play, `${what} there`);
  const became = what === 'resolve' ? ('resolved' as const) : ('acknowledged' as const);
  const news = { names: [{ key: thing.key }], became, order: null, atMs: null, by: 'Ada' };
  // A delivery comes twice now and then.
  for (let times = chance() < 0.2 ? 2 : 1; times > 0; times -= 1)
    await insist(() => stage.world.notify.takeNews(tenant, { provider: kind, connector: null, news }));
}

async function happen(play: Play, number: number): Promise<void> {
  const { stage, tenant, chance, ids } = play;
  const id = ids[number] ?? '';
  const ask = stage.world.asAdmin(tenant).incidents;
  const { status } = (await insist(() => ask.get({ id }))).incident;
  const what = chance();
  const act = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    // What was done before its answer got lost, or by a replica meanwhile, is a conflict.
    await insist(work).catch((error: unknown) => {
      if (codeOf(error) !== 'CONFLICT') throw error;
    });
    count(play, name);
  };
  if (status === 'resolved') return what < 0.2 ? await act('reopen', () => ask.reopen({ id })) : undefined;
  if (what < 0.3)
    return await act('follow up', () =>
      stage.world.incidents.raise(tenant, stage.world.failing(number, Math.floor(chance() * 9) + 1)),
    );
  if (what < 0.5 && status === 'open') return await act('acknowledge', () => ask.acknowledge({ id }));
  if (what < 0.7) return await act('resolve', () => ask.resolve({ id }));
  return await actThere(play, id);
}

/** Kills replicas until it is told to end, and crashes the database twice. */
async function disturb({ stage }: Play, chance: () => number, isOver: () => boolean): Promise<number> {
  let crashes = 0;
  const begun = Date.now();
  while (!isOver()) {
    await sleep(500 + chance() * 2500);
    if (isOver()) break;
    await stage.workers.kill(chance() < 0.5 ? 0 : 1);
    if (crashes < 2 && Date.now() - begun > (crashes + 1) * 15_000) {
      crashes += 1;
      await stage.crashDatabase();
    }
  }
  return crashes;
}

const LEFT = `SELECT count(*)::int AS left FROM notify_outbox WHERE state IN ('waiting', 'confirming')`;

async function calm({ stage: { relational }, tenant }: Play): Promise<number> {
  let left = 0;
  for (const end = Date.now() + Number(values.calm) * 1000; Date.now() < end; await sleep(500)) {
    const { rows } = await insist(() => relational.withSystemSql(tenant, (sql) => sql.query<{ left: number }>(LEFT)));
    left = rows[0]?.left ?? 0;
    if (left === 0) break;
  }
  return left;
}

async function play(seed: number): Promise<boolean> {
  const stage = await setStage({ speed: Number(values.speed), replicas: 2 });
  try {
    const begun = Date.now();
    const tenant = parseTenantId(`chaos-${seed}`);
    await createTenant(stage.relational, { id: tenant, name: tenant });
    const admin = stage.world.asAdmin(tenant).notify;
    for (const kind of KINDS) {
      const { url, credential, settings } = stage.sims[kind].to;
      await admin.connectors.create({
        provider: kind,
        name: kind,
        values: { ...settings, url, ...(credential ? { credential } : {}) },
      });
      stage.sims[kind].sim.faults.plan(failShare(1 / 3, faultsOf(kind), createChance(seed * 100 + KINDS.indexOf(kind))));
    }
    const one: Play = { stage, tenant, chance: createChance(seed), ids: [], done: {} };
    await stage.workers.start();
    let isOver = false;
    const disturbing = disturb(one, createChance(seed + 7), () => isOver);
    for (let step = 0; one.ids.length < INCIDENTS || step < INCIDENTS * (1 + ACTS_EACH); step += 1) {
      if (one.ids.length < INCIDENTS && (one.ids.length === 0 || one.chance() < 1 / ACTS_EACH)) await open(one);
      else await happen(one, Math.floor(one.chance() * one.ids.length));
      await sleep(one.chance() * 60);
    }
    const playedS = (Date.now() - begun) / 1000;
    // It goes on while the tail is sent, and then everything answers again.
    await sleep(10_000);
    isOver = true;
    const crashes = await disturbing;
    for (const kind of KINDS) stage.sims[kind].sim.faults.plan(undefined);
    const left = await calm(one);
    const { faults, links, repeats } = await judge(stage, tenant);
    const calls = KINDS.map((kind) => `${kind} ${stage.sims[kind].sim.calls.length}`).join(', ');
    process.stdout.write(
      `seed ${seed}: ${one.ids.length} incidents, ${links} links, ${JSON.stringify(one.done)}; ${stage.workers.kills()} kills, ${crashes} crashes of the database; calls: ${calls}; ${repeats} possible repeats; ${left} left; ${playedS.toFixed(0)} s of play, ${((Date.now() - begun) / 1000).toFixed(0)} s in all; ${faults.length} faults\n`,
    );
    for (const fault of faults.slice(0, 40)) process.stdout.write(`  ${fault}\n`);
    return faults.length === 0;
  } finally {
    await stage.close();
  }
}

let isGood = true;
for (let seed = Number(values.seed); seed < Number(values.seed) + Number(values.seeds); seed += 1)
  isGood = (await play(seed)) && isGood;
process.exit(isGood ? 0 : 1);
