import { isMeasuring } from '@svc/contracts/judged/fault';
import { uuidv7 } from 'uuidv7';
import type { History } from '../history/history.ts';
import type { MinuteState } from '../history/strip.ts';
import type { Activity } from '../measure/activity.ts';
import { type Cadence, createCadence } from '../measure/cadence.ts';
import type { DeviceContext } from '../measure/device-context.ts';
import { type Measurer, USUAL_DEPTH } from '../measure/measurer.ts';
import { createOwnCost } from '../measure/own-cost.ts';
import { costResult } from '../measure/results.ts';
import type { SentBytes } from '../measure/sent-bytes.ts';
import type { Spool } from '../publish/spool.ts';
import type { Settings } from '../settings.ts';
import type { ConnectedFaces } from './connected-faces.ts';
import type { DeepTest } from './deep-test.ts';
import type { ServiceDeps } from './deps.ts';
import type { Emit } from './emit.ts';
import type { Findings } from './findings.ts';
import { type Deciding, disclosureState, settings } from './in-force.ts';
import type { Rounds } from './rounds.ts';
import type { Uplink } from './uplink.ts';
import type { Waking } from './waking.ts';

/** What goes on by the clock, and what it needs for that. */
export interface Scheduled extends Deciding {
  deps: ServiceDeps;
  activity: Activity;
  context: DeviceContext;
  measurer: Measurer;
  emit: Emit;
  findings: Findings;
  history: History;
  spool: Spool;
  sent: SentBytes;
  rounds: Rounds;
  waking: Waking;
  uplink: Uplink;
  faces: ConnectedFaces;
  deepTest: Pick<DeepTest, 'isRunning'>;
}

const MINUTE_MS = 60_000;
const SAVE_EACH_MINUTES = 5;

/** What the present minute was like; undefined where nothing is known of it. */
function minuteState(r: Scheduled): MinuteState | undefined {
  if (disclosureState(r) === 'declined') return 'declined';
  if (r.pause.untilMs() !== undefined) return 'paused';
  const present = r.findings.verdict();
  if (!present || r.activity.isHalted()) return undefined;
  const isFresh = r.deps.clock.steady() - present.steadyMs <= 2 * settings(r).intervals.gateway;
  const { verdict } = present.judged;
  // A minute in which measuring had only just begun was neither well nor bad.
  const isKnown = verdict !== undefined && (verdict.cause !== 'none' || !isMeasuring(verdict.coverage));
  return isFresh && isKnown ? verdict.cause : undefined;
}

function startMinutes(r: Scheduled): () => void {
  let minutes = 0;
  const timer = setInterval(() => {
    const state = minuteState(r);
    if (state) r.history.addMinute(r.deps.clock.now(), state);
    minutes += 1;
    if (minutes % SAVE_EACH_MINUTES === 0) void r.history.save();
    r.faces.changed();
  }, MINUTE_MS);
  return () => clearInterval(timer);
}

function createTasks(r: Scheduled): [Cadence, number][] {
  const { measurer, deps } = r;
  const cost = createOwnCost(deps.clock.steady);
  const interval = (name: keyof Settings['intervals']) => () => settings(r).intervals[name];
  const task = (intervalMs: () => number, run: () => Promise<unknown>): Cadence =>
    createCadence({
      intervalMs,
      run: async () => {
        r.waking.noticeSleep();
        if (!r.activity.isHalted() && !r.deepTest.isRunning()) await run();
      },
      onError: (error) => r.rounds.noteFailure(error),
    });
  const wifi = task(interval('wifi'), () => measurer.wifi());
  const gateway = task(interval('gateway'), async () => {
    await measurer.gateway(USUAL_DEPTH);
    await measurer.attribution();
    r.uplink.wake('now');
  });
  const paths = task(interval('path'), () => measurer.paths(USUAL_DEPTH));
  const sessions = task(interval('session'), () => measurer.sessions());
  const resolvers = task(interval('session'), () => measurer.resolvers());
  const own = task(interval('session'), async () => {
    await r.context.refresh();
    const now = cost(r.spool.status(), r.sent.lastDay());
    r.findings.noteCost(now);
    await r.emit([costResult(now, { resultId: uuidv7(), startedAtMs: deps.clock.now() })]);
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
export function startSchedule(r: Scheduled): () => Promise<void> {
  const stopMinutes = startMinutes(r);
  const tasks = createTasks(r);
  void r.context.refresh().then(r.faces.changed);
  for (const [cadence, delayMs] of tasks) cadence.start(delayMs);
  return async () => {
    stopMinutes();
    await Promise.all(tasks.map(([cadence]) => cadence.stop()));
  };
}
