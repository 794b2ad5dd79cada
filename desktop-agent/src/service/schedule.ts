import { uuidv7 } from 'uuidv7';
import type { MinuteState } from '../history/strip.ts';
import { type Cadence, createCadence } from '../measure/cadence.ts';
import { USUAL_DEPTH } from '../measure/measurer.ts';
import { createOwnCost } from '../measure/own-cost.ts';
import { costResult } from '../measure/results.ts';
import { createSleepWatch } from '../measure/sleep-watch.ts';
import type { Settings } from '../settings.ts';
import { emit } from './emit.ts';
import { disclosureState, settings } from './in-force.ts';
import { noteFailure, runNow } from './rounds.ts';
import type { Running } from './running.ts';

const MINUTE_MS = 60_000;
const SAME_WAKE_MS = 15_000;
const SAVE_EACH_MINUTES = 5;

/** The device slept or its network changed: what was under way is worth nothing, what is true now is measured at once. */
export function measureAnew(r: Running): void {
  const nowMs = r.deps.clock.steady();
  // A window and this process' own watch both tell of it.
  if (nowMs - r.wokeSteadyMs < SAME_WAKE_MS) return;
  r.wokeSteadyMs = nowMs;
  r.deps.log('Woke up; measuring anew.');
  r.context.noteResumed();
  void r.context.refresh();
  r.link?.retryNow();
  runNow(r, USUAL_DEPTH);
}

/** What is measured while the machine falls asleep measures the sleep. */
export function followPower(r: Running, power: 'suspend' | 'resume'): void {
  if (power === 'suspend') r.activity.restart('the machine goes to sleep');
  else measureAnew(r);
}

/** What the present minute was like; undefined where nothing is known of it. */
function minuteState(r: Running): MinuteState | undefined {
  if (disclosureState(r) === 'declined') return 'declined';
  if (r.pause.untilMs() !== undefined) return 'paused';
  if (!r.judged || r.activity.isHalted()) return undefined;
  const isFresh = r.deps.clock.steady() - r.judged.steadyMs <= 2 * settings(r).intervals.gateway;
  return isFresh ? r.judged.judged.verdict?.cause : undefined;
}

function startMinutes(r: Running): () => void {
  let minutes = 0;
  const timer = setInterval(() => {
    const state = minuteState(r);
    if (state) r.history.addMinute(r.deps.clock.now(), state);
    minutes += 1;
    if (minutes % SAVE_EACH_MINUTES === 0) void r.history.save();
    r.changed();
  }, MINUTE_MS);
  return () => clearInterval(timer);
}

function createTasks(r: Running): [Cadence, number][] {
  const { measurer, deps } = r;
  const slept = createSleepWatch(deps.clock.steady);
  const cost = createOwnCost(deps.clock.steady);
  const interval = (name: keyof Settings['intervals']) => () => settings(r).intervals[name];
  const task = (intervalMs: () => number, run: () => Promise<unknown>): Cadence =>
    createCadence({
      intervalMs,
      run: async () => {
        if (!r.activity.isHalted()) await run();
      },
      onError: (error) => noteFailure(r, error),
    });
  const wifi = task(interval('wifi'), async () => {
    if (slept()) measureAnew(r);
    await measurer.wifi();
  });
  const gateway = task(interval('gateway'), async () => {
    await measurer.gateway(USUAL_DEPTH);
    await measurer.attribution();
    r.link?.wake('now');
  });
  const paths = task(interval('path'), () => measurer.paths(USUAL_DEPTH));
  const sessions = task(interval('session'), () => measurer.sessions());
  const resolvers = task(interval('session'), () => measurer.resolvers());
  const own = task(interval('session'), async () => {
    await r.context.refresh();
    r.cost = cost(r.spool.status(), r.sent.lastDay());
    await emit(r, [costResult(r.cost, { resultId: uuidv7(), startedAtMs: deps.clock.now() })]);
  });
  return [
    [wifi, 0],
    [sessions, 100],
    [gateway, 200],
    [paths, 500],
    [resolvers, 1000],
    [own, 30_000],
  ];
}

/** Starts every cadence; gives what stops them and resolves when the present turns are over. */
export function startSchedule(r: Running): () => Promise<void> {
  const stopMinutes = startMinutes(r);
  const tasks = createTasks(r);
  void r.context.refresh().then(r.changed);
  for (const [cadence, delayMs] of tasks) cadence.start(delayMs);
  return async () => {
    stopMinutes();
    await Promise.all(tasks.map(([cadence]) => cadence.stop()));
  };
}
