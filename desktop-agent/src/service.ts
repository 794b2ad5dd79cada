import { join } from 'node:path';
import type { AgentStatus, BatchAck, ServerMessage } from '@svc/contracts/agent-messages';
import { uuidv7 } from 'uuidv7';
import { messageOf } from './agent-error.ts';
import type { HostFacts } from './chores/host-facts.ts';
import type { RunChore } from './chores/run-chore.ts';
import type { AgentClock } from './clock.ts';
import type { AgentConfig } from './config.ts';
import { deviceFacts } from './identity/device-facts.ts';
import { controlPlaneOf } from './identity/identity.ts';
import { createIdentityStore } from './identity/identity-store.ts';
import { createKeeper, type Keeper } from './identity/keeper.ts';
import { type Cadence, createCadence } from './measure/cadence.ts';
import { createMeasurer, FULL_DEPTH, type Measurer, type ProbeSet, USUAL_DEPTH } from './measure/measurer.ts';
import { openOnsetStore } from './measure/onset-store.ts';
import { createOwnCost } from './measure/own-cost.ts';
import { costResult } from './measure/results.ts';
import { countSentBytes, type SentBytes } from './measure/sent-bytes.ts';
import { createSleepWatch } from './measure/sleep-watch.ts';
import { openPolicyStore, type PolicyStore } from './policy-store.ts';
import { minimise } from './privacy/minimise.ts';
import { type Ledger, openLedger } from './publish/ledger.ts';
import { createLink, type Link, type LinkState } from './publish/link.ts';
import { decodeRecord, encodeRecord } from './publish/record.ts';
import type { Spool, SpoolStatus } from './publish/spool.ts';
import { openDiskSpool } from './publish/spool-disk.ts';
import { createSpoolLossWords } from './publish/spool-loss.ts';
import type { EndpointResult } from './result.ts';
import { type Settings, settingsOf } from './settings.ts';
import { lockState } from './state-lock.ts';

export interface ServiceDeps {
  config: Readonly<AgentConfig>;
  version: string;
  runChore: RunChore;
  probes: ProbeSet;
  clock: AgentClock;
  takeToken(): Promise<{ server: string; token: string } | undefined>;
  /** One line for a person; never a secret. */
  log(message: string): void;
  /** When the disclosure was last shown, RFC 3339. */
  disclosureShownAt: string;
  protocol?: number;
}

export interface AgentService {
  settings(): Settings;
  server(): string | undefined;
  /** Stops measuring, sends nothing more, closes the files. What waits stays in the spool. */
  stop(): Promise<void>;
}

/** Everything that lives as long as the service. */
interface Running {
  deps: ServiceDeps;
  facts: HostFacts;
  policy: PolicyStore;
  keeper: Keeper;
  spool: Spool;
  ledger: Ledger;
  measurer: Measurer;
  link: Link | undefined;
  linkState: LinkState | undefined;
  sent: SentBytes;
  needsPermission: boolean;
  lossWords(status: SpoolStatus): string | undefined;
  rounds: Promise<unknown>;
  over: AbortController;
}

const settings = (r: Pick<Running, 'deps' | 'policy'>): Settings => settingsOf(r.deps.config, r.policy.current());

/** A measured result leaves the measuring code here: minimised first, kept on disk, then sent when there is a connection. */
async function emit(r: Running, results: readonly EndpointResult[]): Promise<void> {
  const { collect } = settings(r);
  for (const result of results) {
    if (result.canary_type === 'endpoint.wifi') r.needsPermission = result.attributes['unavailable.rssi.dbm'] === 'permission';
  }
  await r.spool.append(results.map((result) => encodeRecord(minimise(result, collect))));
  const lost = r.lossWords(r.spool.status());
  if (lost !== undefined) r.deps.log(lost);
  r.link?.wake('linger');
}

function statusOf(r: Running): AgentStatus {
  const { collect, policyVersion } = settings(r);
  const spool = r.spool.status();
  return {
    state: r.needsPermission ? 'needs_permission' : 'running',
    paused_until_ms: 0,
    agent_version: r.deps.version,
    os: r.facts.os,
    os_version: collect.hostFacts ? r.facts.osVersion : '',
    arch: r.facts.arch,
    model: collect.hostFacts ? r.facts.model : '',
    policy_version: policyVersion,
    spool_results: spool.results,
    spool_dropped: spool.dropped,
    device_name: collect.deviceName ? r.facts.deviceName : '',
    clock_ms: r.deps.clock.now(),
    disclosure_shown_at: r.deps.disclosureShownAt,
    simulated: false,
  };
}

async function noteDelivered(r: Running, records: readonly Uint8Array[], ack: BatchAck): Promise<void> {
  if (ack.rejected > 0)
    r.deps.log(`The server refused ${ack.rejected} results: ${ack.rejected_reasons.join('; ').slice(0, 300)}`);
  const server = r.keeper.current()?.identity.grpcAddr ?? '';
  await r.ledger.append({ at: r.deps.clock.now(), server, results: records.map(decodeRecord) });
}

/** One full round at a time; a second wish while one runs is the same wish. */
function runNow(r: Running, probes = FULL_DEPTH): void {
  r.rounds = r.rounds
    .then(() => r.measurer.all(probes))
    .then(() => r.link?.wake('now'))
    .catch((error) => noteFailure(r, error));
}

function noteFailure(r: Running, error: unknown): void {
  if (!r.over.signal.aborted) r.deps.log(`A measurement failed: ${messageOf(error)}`);
}

/** What a changed policy means for the person whose device it is: whom it contacts from now on. */
function describePolicy({ policyVersion, traceTargets, sessionTargets }: Settings): string {
  const list = (targets: readonly string[]): string => (targets.length > 0 ? targets.join(', ') : 'nothing');
  return `Policy ${policyVersion} is in force: traces ${list(traceTargets)}, opens ${list(sessionTargets)}.`;
}

async function hearServer(r: Running, message: ServerMessage): Promise<void> {
  if (message.policy_json !== '' && (await r.policy.receive(message.policy_json))) {
    r.deps.log(describePolicy(settings(r)));
    r.link?.tell();
    runNow(r, USUAL_DEPTH);
  }
  if (message.run_now) runNow(r);
  if (message.renew_now) await r.keeper.renewNow();
}

const WORDS: Record<NonNullable<LinkState['problem']>, string> = {
  network: 'Offline; readings wait here and will be sent in order',
  overloaded: 'The control plane asks for time; readings wait here',
  upgrade_required: 'Update required: the control plane does not work with this version',
  unauthorized: 'The control plane does not accept this certificate',
  forbidden: 'The control plane refuses this device',
  unknown_agent: 'The control plane does not know this device',
  untrusted: 'The control plane cannot be trusted',
};

function noteLink(r: Running, state: LinkState): void {
  const before = r.linkState;
  r.linkState = state;
  if (before?.connected === state.connected && before.problem === state.problem) return;
  if (state.connected) r.deps.log(`Connected to ${r.keeper.current()?.identity.grpcAddr}.`);
  else if (state.problem) r.deps.log(`${WORDS[state.problem]} (${state.message}).`);
}

/** A verdict is sent at once and takes along what was measured since the last one: small batches cost more than they carry. */
const GATHER_MS = 60_000;

function startLink(r: Running): Link {
  return createLink({
    spool: r.spool,
    credentials: () => r.keeper.credentials(),
    recover: (ending) => r.keeper.recover(ending),
    status: () => statusOf(r),
    onMessage: (message) => {
      hearServer(r, message).catch((error) => r.deps.log(messageOf(error)));
    },
    onDelivered: (records, ack) => noteDelivered(r, records, ack),
    onState: (state) => noteLink(r, state),
    now: r.deps.clock.now,
    lingerMs: GATHER_MS,
    ...(r.deps.protocol === undefined ? {} : { protocol: r.deps.protocol }),
  });
}

function startCadences(r: Running): Cadence[] {
  const { measurer, deps } = r;
  const slept = createSleepWatch(deps.clock.steady);
  const cost = createOwnCost(deps.clock.steady);
  const interval = (name: keyof Settings['intervals']) => () => settings(r).intervals[name];
  const task = (intervalMs: () => number, run: () => Promise<unknown>): Cadence =>
    createCadence({
      intervalMs,
      run: async () => {
        await run();
      },
      onError: (error) => noteFailure(r, error),
    });
  const wifi = task(interval('wifi'), async () => {
    if (slept()) {
      deps.log('Woke up; measuring anew.');
      r.link?.retryNow();
      runNow(r, USUAL_DEPTH);
    }
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
    const stamp = { resultId: uuidv7(), startedAtMs: deps.clock.now() };
    await emit(r, [costResult(cost(r.spool.status(), r.sent.lastDay()), stamp)]);
  });
  const cadences: [Cadence, number][] = [
    [wifi, 0],
    [sessions, 100],
    [gateway, 200],
    [paths, 500],
    [resolvers, 1000],
    [own, 30_000],
  ];
  for (const [cadence, delayMs] of cadences) cadence.start(delayMs);
  return cadences.map(([cadence]) => cadence);
}

async function openParts(deps: ServiceDeps): Promise<Running> {
  const { config, runChore, clock } = deps;
  const facts = await runChore('hostFacts', {});
  const policy = await openPolicyStore(config.stateDir, runChore, deps.log);
  const keeper = await createKeeper({
    store: createIdentityStore(join(config.stateDir, 'identity')),
    runChore,
    now: clock.now,
    takeToken: deps.takeToken,
    log: deps.log,
    facts: async () => deviceFacts(config, facts, deps.version),
  });
  const spool = await openDiskSpool({ directory: join(config.stateDir, 'spool'), maxBytes: config.spoolMaxBytes });
  const ledger = await openLedger({ directory: join(config.stateDir, 'ledger') }, deps.log);
  const over = new AbortController();
  const port = (): number => Number(keeper.current()?.identity.grpcAddr.split(':').at(-1) ?? 0);
  const sent = countSentBytes((socket) => socket.remotePort === port(), clock.steady);
  const measurer = createMeasurer({
    probes: deps.probes,
    settings: () => settings(r),
    clock,
    newId: uuidv7,
    onsets: await openOnsetStore(config.stateDir, clock.now),
    emit: (results) => emit(r, results),
    controlPlane: () => {
      const held = keeper.current();
      return held && controlPlaneOf(held.identity);
    },
    signal: over.signal,
  });
  const r: Running = {
    deps,
    facts,
    policy,
    keeper,
    spool,
    ledger,
    measurer,
    link: undefined,
    linkState: undefined,
    sent,
    needsPermission: false,
    lossWords: createSpoolLossWords(clock.steady),
    rounds: Promise.resolve(),
    over,
  };
  return r;
}

/** Starts the agent: measure, attribute, minimise, spool, publish. Throws AgentError where it cannot even begin. */
export async function startService(deps: ServiceDeps): Promise<AgentService> {
  const unlock = await lockState(deps.config.stateDir);
  let r: Running;
  try {
    r = await openParts(deps);
  } catch (error) {
    await unlock();
    throw error;
  }
  r.link = startLink(r);
  const cadences = startCadences(r);
  return {
    settings: () => settings(r),
    server: () => r.keeper.current()?.identity.server,
    async stop() {
      r.over.abort(new Error('stopping'));
      await Promise.all([...cadences.map((cadence) => cadence.stop()), r.rounds, r.link?.stop()]);
      r.sent.close();
      await Promise.all([r.spool.close(), r.ledger.close()]);
      await unlock();
    },
  };
}
