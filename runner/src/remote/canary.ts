import { AGENT_PROTOCOL } from '@svc/contracts/agent/version';
import type { RunReport } from '@svc/contracts/tests/run-report';
import type { RunnerStatus, RunRequest, ToRunner } from '@svc/contracts/tests/runner-messages';
import { CanaryFault } from '../canary-fault.ts';
import { createOwnUse } from '../own-use.ts';
import { createPlanClock, type PlanClock } from '../plan-clock.ts';
import type { Prober } from '../run-test.ts';
import { createRunner, type Runner } from '../runner.ts';
import type { Spool } from '../spool/spool.ts';
import { type Connection, type Ending, openConnection } from './connection.ts';
import { fitReport } from './fit-report.ts';
import { type Credentials, needsRenewal } from './identity-store.ts';
import type { PlanFile } from './plan-file.ts';
import { createRemotePlan, OWNER, readPlanned } from './remote-plan.ts';

export interface CanaryDeps {
  credentials: Credentials;
  prober: Prober;
  spool: Spool;
  planFile: PlanFile;
  /** Of this build. */
  version: string;
  /** A new certificate, kept. Throws CanaryFault. */
  renew: (credentials: Credentials) => Promise<Credentials>;
  /** A line for whoever runs it. */
  tell: (line: string) => void;
  clock?: PlanClock;
  protocol?: number;
  /** Of the pauses between connections; tests are quicker. */
  pauseMs?: { first: number; most: number; slow: number };
}

export interface Canary {
  runner: Runner;
  /** Resolves after `stop`; rejects with CanaryFault when the runner was removed. */
  ended: Promise<void>;
  stop(): Promise<void>;
  /** Whether a connection is open. */
  isConnected(): boolean;
}

const PAUSE = { first: 1000, most: 60_000, slow: 30 * 60_000 };

/** What is shared by the connection that is open and by what runs without one. */
function createState({ credentials, spool, version, prober, clock = createPlanClock() }: CanaryDeps) {
  const use = createOwnUse();
  const state = { credentials, connection: undefined as Connection | undefined };
  const report = (_: string, made: RunReport): void => {
    // Nothing fails here: what no disk takes is kept in memory, and what that does not hold is counted.
    void spool.append(fitReport(made)).then(() => state.connection?.pump());
  };
  return { use, state, report, clock, version, spool, prober };
}

/** Runs what the server asks for now, and answers it on the stream on which it was asked. */
async function answer(
  runner: Runner,
  connection: Connection,
  { request, credentials }: { request: RunRequest; credentials: Credentials },
) {
  const { id } = request;
  const say = (error: string): void => connection.send({ answer: { request_id: id, report_json: new Uint8Array(), error } });
  const planned = readPlanned(request.planned, credentials);
  if (!planned) return say('This runner does not know this kind of test. Update it.');
  try {
    const made = await runner.runOnce(OWNER, planned, (phase, ms) =>
      connection.send({ progress: { request_id: id, phase, ms } }),
    );
    if (made) connection.send({ answer: { request_id: id, report_json: fitReport(made), error: '' } });
    else say('The runner is ending.');
  } catch (error) {
    say(error instanceof Error ? error.message : 'The runner failed.');
  }
}

/** A runner elsewhere: runs its plan whether or not the server can be reached, and tells what it measured as soon as it can. */
export async function startCanary(deps: CanaryDeps): Promise<Canary> {
  const { spool, tell, pauseMs = PAUSE, protocol = AGENT_PROTOCOL } = deps;
  const { use, state, report, clock, version } = createState(deps);
  const runner = await createRunner({ id: state.credentials.runner_id, prober: deps.prober, shared: false, report, clock });
  const plan = createRemotePlan({
    ...{ runner, credentials: () => state.credentials, file: deps.planFile },
    onFailed: (error) => tell(`the plan was not kept: ${error}`),
  });
  await plan.restore(tell);
  const stopping = new AbortController();
  runner.onLacks(() => state.connection?.tell());

  const status = (): RunnerStatus => {
    const { records, dropped } = spool.counts();
    return {
      ...{ version, lacks_json: JSON.stringify(runner.lacks()), ...use.read(), spool_results: records, spool_dropped: dropped },
      ...{ clock_ms: Date.now(), plan_revision: plan.revision(), tests: runner.tests() },
    };
  };

  async function renewIfDue(isWanted: boolean): Promise<void> {
    if (isWanted || needsRenewal(state.credentials, clock.now())) state.credentials = await deps.renew(state.credentials);
  }

  async function live(): Promise<Ending & { wasAccepted: boolean }> {
    let wasAccepted = false;
    const onMessage = (message: ToRunner): void => {
      clock.tell(message.server_clock_ms);
      if (!wasAccepted) tell('connected');
      wasAccepted = true;
      if (message.plan) plan.take(message.plan);
      if (message.plan?.last) connection.tell();
      if (message.run) void answer(runner, connection, { request: message.run, credentials: state.credentials });
      // The next connection has the new certificate; this one goes on until its own ends.
      if (message.renew_now) renewIfDue(true).catch(() => {});
    };
    plan.reset();
    const connection = openConnection(state.credentials, { spool, protocol, status, onMessage });
    state.connection = connection;
    if (stopping.signal.aborted) connection.stop();
    const ending = await connection.ended;
    state.connection = undefined;
    return { ...ending, wasAccepted };
  }

  async function keepConnected(): Promise<void> {
    let failures = 0;
    let isRefused = false;
    while (!stopping.signal.aborted) {
      const ending: Ending & { wasAccepted?: boolean } = await renewIfDue(isRefused).then(live, endingOfFault);
      if (ending.kind === 'stopped' || stopping.signal.aborted) return;
      if (ending.kind === 'removed' || ending.kind === 'unknown') {
        await plan.forget();
        throw new CanaryFault(ending.kind === 'removed' ? 'removed' : 'unknown', `${ending.message} Enrol this machine anew.`);
      }
      isRefused = ending.kind === 'unauthorized';
      failures = ending.wasAccepted ? 0 : failures + 1;
      tell(`not connected: ${ending.message}`);
      const doubled = Math.min(pauseMs.most, pauseMs.first * 2 ** Math.min(failures, 20)) * (0.5 + Math.random() / 2);
      await pause(Math.max(ending.kind === 'upgrade_required' ? pauseMs.slow : doubled, ending.retryAfterMs), stopping.signal);
    }
  }

  const ended = keepConnected();
  ended.catch(() => {});
  return {
    runner,
    ended,
    isConnected: () => state.connection !== undefined,
    async stop() {
      stopping.abort();
      state.connection?.stop();
      await plan.close();
      runner.close();
      await ended.catch(() => {});
      await spool.close();
    },
  };
}

function endingOfFault(error: unknown): Ending {
  const message = error instanceof Error ? error.message : String(error);
  const kind = error instanceof CanaryFault ? error.kind : undefined;
  const known = kind === 'removed' || kind === 'unknown' || kind === 'upgrade_required' ? kind : 'network';
  return { kind: known, message, retryAfterMs: 0 };
}

const pause = async (ms: number, signal: AbortSignal): Promise<void> =>
  await new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    }
  });
