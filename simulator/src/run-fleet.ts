import { setTimeout as sleep } from 'node:timers/promises';
import type { Credentials } from '@svc/desktop-agent/headless';
import { backfill } from './backfill.ts';
import type { Device } from './domain/device.ts';
import { planFleet, targetsOf } from './domain/plan-fleet.ts';
import { enrolFleet } from './enrol-fleet.ts';
import { type FleetMemory, loadMemory, saveMemory } from './fleet-memory.ts';
import { type Live, measureNow, runLive } from './live.ts';
import type { Options } from './options.ts';
import { type FleetSettings, type SimulatedAgent, startAgent } from './simulated-agent.ts';

/** What a run tells while it goes on. */
export interface Report {
  /** Before any device enrols. */
  planned(targets: ReturnType<typeof targetsOf>): void;
  enrolled(done: number, of: number): void;
  connected(done: number, of: number): void;
  backfilled(progress: { share: number; accepted: number }): void;
  complete(summary: { devices: number; results: number; seconds: number }): void;
  refused(reasons: readonly string[]): void;
  lost(unconnected: number, message: string): void;
}

const HOUR = 3_600_000;
const LOOK_MS = 15_000;
const REMEMBER_MS = 60_000;
const CONNECT_AT_ONCE = 16;
const CONNECT_WAIT_MS = 5000;

/** What the parts of one run share. */
interface Run {
  options: Options;
  report: Report;
  signal: AbortSignal;
  memory: FleetMemory;
  live: Live;
  fleet: FleetSettings;
  /** Results that the server took. */
  accepted: number;
  isBackfilling: boolean;
}

function createRun(options: Options, report: Report, signal: AbortSignal): Run {
  const { seed, server, token } = options;
  const known = options.state === undefined ? undefined : loadMemory(options.state, options);
  const anchorMs = known?.anchorMs ?? Date.now();
  const memory: FleetMemory = {
    seed,
    server,
    anchorMs,
    deliveredToMs: known?.deliveredToMs ?? null,
    devices: { ...known?.devices },
    onsets: { ...known?.onsets },
  };
  const live: Live = { anchorMs, now: Date.now, rate: options.rate, signal };
  const fleet: FleetSettings = {
    server,
    token,
    seed,
    anchorMs,
    now: Date.now,
    onDelivered(count, reasons) {
      run.accepted += count;
      if (reasons.length > 0) report.refused(reasons);
    },
    onCredentials: (device, credentials) => {
      memory.devices[device.name] = credentials;
    },
    earlierOnset: (device) => memory.onsets[device.name],
    onOnset: (device, kept) => {
      memory.onsets[device.name] = kept;
    },
    onRunNow: (agent) => {
      if (!run.isBackfilling) void measureNow(agent, live);
    },
  };
  const run: Run = { options, report, signal, memory, live, fleet, accepted: 0, isBackfilling: true };
  return run;
}

function remember({ options, memory }: Run, deliveredToMs: number | null): void {
  memory.deliveredToMs = deliveredToMs;
  if (options.state !== undefined) saveMemory(options.state, memory);
}

/** Says when devices that should be connected are not: a fleet that has fallen silent must not look like a calm one. */
function watchLinks(agents: readonly SimulatedAgent[], report: Report): NodeJS.Timeout {
  return setInterval(() => {
    const off = agents
      .map(({ state }) => state())
      .filter(({ connected, problem }) => !connected && problem !== null && problem !== 'upgrade_required');
    if (off.length > agents.length / 10) report.lost(off.length, off[0]?.message ?? 'not connected');
  }, LOOK_MS);
}

async function enrolAll(run: Run, devices: readonly Device[]): Promise<void> {
  const { memory, report, fleet, signal } = run;
  const all = await enrolFleet(devices, fleet, {
    known: new Map(Object.entries(memory.devices)),
    onProgress: (done) => report.enrolled(done, devices.length),
    signal,
  });
  for (const [at, device] of devices.entries()) memory.devices[device.name] = all[at] as Credentials;
  remember(run, memory.deliveredToMs);
}

const startOne = ({ memory, fleet }: Run, device: Device, refused: boolean): SimulatedAgent =>
  startAgent(device, { enrolled: memory.devices[device.name] as Credentials, refused }, fleet);

/** Opens the connections a few at a time: a fleet that comes all at once is another test than a day in its life. */
async function startAll(run: Run, devices: readonly Device[]): Promise<SimulatedAgent[]> {
  const agents: SimulatedAgent[] = [];
  for (let at = 0; at < devices.length && !run.signal.aborted; at += CONNECT_AT_ONCE) {
    const some = devices.slice(at, at + CONNECT_AT_ONCE).map((device) => startOne(run, device, false));
    agents.push(...some);
    await Promise.race([Promise.all(some.map(({ answered }) => answered)), sleep(CONNECT_WAIT_MS, undefined, { ref: false })]);
    run.report.connected(agents.length, devices.length);
  }
  return agents;
}

/** After their past is delivered: who is silent hangs up, and who is outdated comes back as it is now, and is refused. */
async function takePresentRoles(run: Run, agents: readonly SimulatedAgent[]): Promise<SimulatedAgent[]> {
  const present = await Promise.all(
    agents.map(async (agent) => {
      const { device } = agent;
      if (device.silentFromMs === null && device.refusedFromMs === null) return agent;
      await agent.link.stop();
      return device.silentFromMs === null ? startOne(run, device, true) : undefined;
    }),
  );
  return present.filter((agent) => agent !== undefined);
}

async function stayLive(run: Run, agents: readonly SimulatedAgent[]): Promise<void> {
  const timer = setInterval(() => remember(run, Date.now()), REMEMBER_MS);
  await runLive(agents, run.live);
  clearInterval(timer);
  remember(run, Date.now());
}

/** The whole run: enrol, deliver the past, go on live until the signal. Throws AgentError where the server refuses. */
export async function runFleet(options: Options, report: Report, signal: AbortSignal): Promise<void> {
  const run = createRun(options, report, signal);
  const { memory, live } = run;
  const planned = planFleet(options.devices, options.seed);
  report.planned(targetsOf(planned));
  const toMs = Date.now();
  const fromMs = Math.max(toMs - options.hours * HOUR, memory.deliveredToMs ?? 0);
  // Whoever has nothing of its past to say any more stays silent altogether.
  const devices = planned.filter(({ silentFromMs }) => silentFromMs === null || silentFromMs > fromMs - live.anchorMs);
  await enrolAll(run, devices);
  let agents = await startAll(run, devices);
  const watch = watchLinks(agents, report);
  try {
    const onProgress = ({ share }: { share: number }) => report.backfilled({ share, accepted: run.accepted });
    await backfill(agents, { fromMs, toMs, anchorMs: live.anchorMs, onProgress, signal });
    remember(run, toMs);
    run.isBackfilling = false;
    if (options.live) agents = await takePresentRoles(run, agents);
    report.complete({ devices: planned.length, results: run.accepted, seconds: (Date.now() - toMs) / 1000 });
    if (options.live) await stayLive(run, agents);
  } finally {
    clearInterval(watch);
    await Promise.all(agents.map(({ link }) => link.stop()));
  }
}
