import { join } from 'node:path';
import { uuidv7 } from 'uuidv7';
import { readBoot } from '../choices/boot.ts';
import { openConsent } from '../choices/consent.ts';
import { openPause } from '../choices/pause.ts';
import { openSwitches } from '../choices/switches.ts';
import { readFacts } from '../chores/read-facts.ts';
import { openHistory } from '../history/history.ts';
import { createObserved } from '../history/observed.ts';
import { openControlPlaneFacts } from '../identity/control-plane-facts.ts';
import { deviceFacts } from '../identity/device-facts.ts';
import { controlPlaneOf } from '../identity/identity.ts';
import { createIdentityStore } from '../identity/identity-store.ts';
import { createKeeper, type Keeper } from '../identity/keeper.ts';
import { createProxyFinder } from '../ipc/proxy-finder.ts';
import { openKeptFile } from '../kept-file.ts';
import { type Activity, createActivity } from '../measure/activity.ts';
import { createAwakeProbes } from '../measure/awake-probes.ts';
import { createDeviceContext } from '../measure/device-context.ts';
import { createMeasurer, type Measurer } from '../measure/measurer.ts';
import { type OnsetStore, openOnsetStore } from '../measure/onset-store.ts';
import { countSentBytes } from '../measure/sent-bytes.ts';
import { openUsualStore, type UsualStore } from '../measure/state/usual-store.ts';
import { openPolicyStore } from '../policy-store.ts';
import { openLedger } from '../publish/ledger.ts';
import { createLedgerIndex } from '../publish/ledger-index.ts';
import { openDiskSpool } from '../publish/spool-disk.ts';
import { createSpoolLossWords } from '../publish/spool-loss.ts';
import { emit } from './emit.ts';
import { followRules } from './gate.ts';
import { mayTell, settings } from './in-force.ts';
import type { Running, ServiceDeps } from './running.ts';

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

interface Measuring {
  deps: ServiceDeps;
  activity: Activity;
  keeper: Keeper;
  onsets: OnsetStore;
  usual: UsualStore;
  present(): Running;
}

function openMeasurer({ deps, activity, keeper, onsets, usual, present }: Measuring): Measurer {
  return createMeasurer({
    probes: createAwakeProbes(deps.probes, deps.clock.steady),
    settings: () => settings(present()),
    clock: deps.clock,
    newId: uuidv7,
    onsets,
    usual,
    emit: (results) => emit(present(), results),
    onSession: (session) => present().context.noteSession(session),
    onJudged(judged) {
      const r = present();
      r.judged = { judged, atMs: deps.clock.now(), steadyMs: deps.clock.steady() };
      r.changed();
    },
    controlPlane: () => {
      const held = keeper.current();
      return held && controlPlaneOf(held.identity);
    },
    proxyFor: (url) => present().proxies.proxyFor(url),
    signal: activity.signal,
  });
}

/** Opens everything that rests in the state directory, which must be locked. Throws AgentError or the file system's error. */
export async function openParts(deps: ServiceDeps): Promise<Running> {
  const { config, runChore, clock } = deps;
  const facts = await readFacts(runChore, deps.log);
  const policy = await openPolicyStore(config.stateDir, runChore, deps.log);
  let running: Running | undefined;
  const present = (): Running => {
    if (!running) throw new Error('the service is not open yet');
    return running;
  };
  const choices = await openChoices(deps, () => followRules(present()));
  const keeper = await createKeeper({
    store: createIdentityStore(join(config.stateDir, 'identity')),
    enroll: (input) => runChore('enroll', input),
    renew: (input) => runChore('renew', input),
    now: clock.now,
    takeToken: deps.takeToken,
    log: deps.log,
    facts: async () => deviceFacts({ ...config, collect: mayTell(present()) }, facts, deps.version),
  });
  const spool = await openDiskSpool({ directory: join(config.stateDir, 'spool'), maxBytes: config.spoolMaxBytes });
  const ledger = await openLedger({ directory: join(config.stateDir, 'ledger') }, deps.log);
  const activity = createActivity();
  const onsets = await openOnsetStore(config.stateDir, clock.now);
  const usual = await openUsualStore(config.stateDir, clock.now);
  const port = (): number => Number(keeper.current()?.identity.grpcAddr.split(':').at(-1) ?? 0);
  running = {
    deps,
    facts,
    policy,
    keeper,
    spool,
    ledger,
    ledgerIndex: createLedgerIndex(join(config.stateDir, 'ledger'), clock.now),
    ...choices,
    activity,
    measurer: openMeasurer({ deps, activity, keeper, onsets, usual, present }),
    link: undefined,
    linkState: undefined,
    sent: countSentBytes((socket) => socket.remotePort === port(), clock.steady),
    context: createDeviceContext({
      reader: deps.readContext,
      steady: clock.steady,
      sessionKeptMs: () => 2 * settings(present()).intervals.session,
    }),
    observed: createObserved(),
    judged: undefined,
    cost: undefined,
    missing: new Set(),
    test: undefined,
    disclosed: undefined,
    // Nobody to ask until faces are listened to.
    proxies: createProxyFinder(() => 0),
    lossWords: createSpoolLossWords(clock.steady),
    rounds: Promise.resolve(),
    changed: () => undefined,
    hasWindow: () => false,
    wokeSteadyMs: Number.NEGATIVE_INFINITY,
    stopped: false,
  };
  return running;
}
