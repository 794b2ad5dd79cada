import { join } from 'node:path';
import { uuidv7 } from 'uuidv7';
import { readBoot } from '../choices/boot.ts';
import { openConsent } from '../choices/consent.ts';
import { openPause } from '../choices/pause.ts';
import { ALL_ON, openSwitches } from '../choices/switches.ts';
import { readFacts } from '../chores/read-facts.ts';
import { type History, openHistory } from '../history/history.ts';
import { type NoteSettled, settle } from '../identity/attempt.ts';
import type { HostFacts } from '../identity/bare-facts.ts';
import { openControlPlaneFacts } from '../identity/control-plane-facts.ts';
import { deviceFacts } from '../identity/device-facts.ts';
import { controlPlaneOf } from '../identity/identity.ts';
import { createIdentityStore } from '../identity/identity-store.ts';
import { createKeeper } from '../identity/keeper.ts';
import { openKeptFile } from '../kept-file.ts';
import { type Activity, createActivity } from '../measure/activity.ts';
import { createAwakeProbes } from '../measure/awake-probes.ts';
import { createDeviceContext, type DeviceContext } from '../measure/device-context.ts';
import { createMeasurer, type Measurer } from '../measure/measurer.ts';
import { type NetworkFingerprint, openNetworkFingerprint } from '../measure/network-fingerprint.ts';
import { type OnsetStore, openOnsetStore } from '../measure/onset-store.ts';
import { countSentBytes } from '../measure/sent-bytes.ts';
import { openUsualStore, type UsualStore } from '../measure/state/usual-store.ts';
import { openPolicyStore } from '../policy-store.ts';
import { type Ledger, openLedger } from '../publish/ledger.ts';
import { createLedgerIndex, type LedgerIndex } from '../publish/ledger-index.ts';
import { openDiskSpool } from '../publish/spool-disk.ts';
import { type ConnectedFaces, createConnectedFaces } from './connected-faces.ts';
import { createDeepTest, type DeepTest } from './deep-test.ts';
import { planDeepTest } from './deep-test-plan.ts';
import type { ServiceDeps } from './deps.ts';
import { createEmit, type Emit } from './emit.ts';
import { createFindings } from './findings.ts';
import { followRules } from './gate.ts';
import type { Hearing } from './hear-server.ts';
import { type Deciding, labelsToTell, mayTell, settings } from './in-force.ts';
import { createRounds } from './rounds.ts';
import type { Scheduled } from './schedule.ts';
import { documentBlocks } from './sent-record.ts';
import { createTestNow, type TestNow } from './test-now.ts';
import { createUplink } from './uplink.ts';
import { createWaking } from './waking.ts';

/** The owners that a service consists of. Each keeps its own state; none is replaced. */
export interface Owners extends Hearing, Scheduled {
  readonly deps: ServiceDeps;
  readonly facts: HostFacts;
  readonly ledger: Ledger;
  /** For faces; holds nothing while there is none. */
  readonly ledgerIndex: LedgerIndex;
  readonly testNow: TestNow;
  readonly deepTest: DeepTest;
  /** The present network's name on this device. */
  readonly network: NetworkFingerprint | undefined;
}

/** What the person at the device decided, and what the device keeps for its faces. */
async function openChoices({ config, clock }: ServiceDeps, onPause: () => void) {
  const file = (name: string) => openKeptFile(join(config.stateDir, name));
  const [consent, switches, history, plane, pause] = await Promise.all([
    openConsent(file('consent.json'), clock.now),
    openSwitches(file('switches.json')),
    openHistory(file('history.json')),
    openControlPlaneFacts(file('control-plane.json')),
    openPause({ file: file('pause.json'), clock, boot: await readBoot(clock), onChange: onPause }),
  ]);
  return { consent, switches, history, plane, pause };
}

interface Opening {
  facts: HostFacts;
  ledger: Ledger;
  /** Called from when a pause is opened. */
  onPause(): void;
}

/** Who decides, from the state directory. */
async function openDeciding(deps: ServiceDeps, { facts, ledger, onPause }: Opening) {
  const { config, runChore, clock, log } = deps;
  const known = deviceFacts({ collect: ALL_ON, labels: config }, facts, deps.version);
  const noteSent: NoteSettled = (sent, identity) => {
    for (const block of documentBlocks(sent, identity, sent.kind === 'enrol' ? known : {})) void ledger.append(block);
  };
  const policy = await openPolicyStore(config.stateDir, runChore, log);
  const choices = await openChoices(deps, onPause);
  const keeper = await createKeeper({
    store: createIdentityStore(join(config.stateDir, 'identity')),
    enroll: async (input) => settle(await runChore('enroll', input), noteSent),
    renew: async (input) => settle(await runChore('renew', input), noteSent),
    now: clock.now,
    takeToken: deps.takeToken,
    log,
    facts: async () => deviceFacts({ collect: mayTell(deciding), labels: labelsToTell(deciding) }, facts, deps.version),
  });
  const deciding = { deps, policy, keeper, ...choices };
  return deciding;
}

interface Measuring extends Deciding {
  deps: ServiceDeps;
  activity: Activity;
  context: DeviceContext;
  emit: Emit;
  faces: ConnectedFaces;
  findings: ReturnType<typeof createFindings>;
  history: History;
  onsets: OnsetStore;
  usual: UsualStore;
}

function openMeasurer(r: Measuring): Measurer {
  const { deps, activity, context, faces, findings, keeper, onsets, usual } = r;
  return createMeasurer({
    probes: createAwakeProbes(deps.probes, deps.clock.steady),
    settings: () => settings(r),
    clock: deps.clock,
    newId: uuidv7,
    onsets,
    usual,
    emit: r.emit,
    onSession: context.noteSession,
    onResolvers: context.noteResolvers,
    onJudged(judged) {
      findings.noteVerdict(judged);
      faces.changed();
    },
    controlPlane: () => {
      const held = keeper.current();
      return held && controlPlaneOf(held.identity);
    },
    proxyFor: faces.proxies.proxyFor,
    isTunnelled: () => context.now().vpn === true,
    signal: activity.signal,
  });
}

async function openNetwork({ config, readNetworkIdentity }: ServiceDeps, collectsSsid: () => boolean) {
  const file = openKeptFile(join(config.stateDir, 'network-salt.json'));
  return readNetworkIdentity && (await openNetworkFingerprint({ file, readIdentity: readNetworkIdentity, collectsSsid }));
}

/** Opens everything that rests in the state directory, which must be locked. Throws AgentError or the file system's error. */
export async function openOwners(deps: ServiceDeps): Promise<Owners> {
  const { config, runChore, clock, log } = deps;
  const facts = await readFacts(runChore, log);
  let owners: Owners | undefined;
  // A pause that ends before all is open: the start itself looks what may be measured.
  const onPause = (): void => void (owners && followRules(owners));
  const ledgerFolder = join(config.stateDir, 'ledger');
  const ledger = await openLedger({ directory: ledgerFolder }, log);
  const deciding = await openDeciding(deps, { facts, ledger, onPause });
  const port = (): number => Number(deciding.keeper.current()?.identity.grpcAddr.split(':').at(-1) ?? 0);
  const kept = {
    ...deciding,
    facts,
    spool: await openDiskSpool({ directory: join(config.stateDir, 'spool'), maxBytes: config.spoolMaxBytes }),
    ledger,
    ledgerIndex: createLedgerIndex(ledgerFolder, clock.now),
    activity: createActivity(),
    findings: createFindings(clock),
    faces: createConnectedFaces(),
    sent: countSentBytes((socket) => socket.remotePort === port(), clock.steady),
    context: createDeviceContext({
      reader: deps.readContext,
      steady: clock.steady,
      sessionKeptMs: () => 2 * settings(deciding).intervals.session,
    }),
  };
  const uplink = createUplink(kept);
  const emit = createEmit({ ...kept, uplink });
  const measurer = openMeasurer({
    ...kept,
    emit,
    onsets: await openOnsetStore(config.stateDir, clock.now),
    usual: await openUsualStore(config.stateDir, clock.now),
  });
  const measuring = { ...kept, clock, log, uplink, emit, measurer };
  const network = await openNetwork(deps, () => settings(deciding).collect.ssid);
  const rounds = createRounds(measuring);
  const testNow = createTestNow({ ...measuring, rounds });
  const deepTest = createDeepTest({
    ...measuring,
    rounds,
    probes: createAwakeProbes(deps.probes, clock.steady),
    plan: () => planDeepTest(measuring),
  });
  owners = { ...measuring, rounds, testNow, deepTest, network, waking: createWaking({ ...measuring, rounds }) };
  return owners;
}
