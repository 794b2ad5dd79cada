import type { DisclosureView, FaceNote, IpcParsed, USER_SWITCHES } from '@svc/contracts/agent/ipc';
import { messageOf } from '../agent-error.ts';
import { type Scope, scopeId } from '../choices/scope.ts';
import { IpcFault } from '../ipc/ipc-fault.ts';
import type { FaceCalls } from '../ipc/server.ts';
import { answerConsent } from '../service/gate.ts';
import { disclosureState, mayMeasure, scope, serverOf } from '../service/in-force.ts';
import type { Owners } from '../service/open.ts';
import { aboutView, helpdeskView } from './about.ts';
import { disclosureView } from './disclosure-view.ts';
import { lastSent } from './last-sent.ts';
import { ledgerEntry, ledgerPage } from './ledger-view.ts';
import { serviceState } from './service-state.ts';
import { createToldRequests } from './told-requests.ts';

/** A choice is in force at once; a disk that refuses only takes it from the next start, and that is told. */
async function keep(r: Owners, kept: Promise<void>): Promise<void> {
  await kept.catch((error) => r.deps.log(`A choice could not be kept for the next start: ${messageOf(error)}`));
}

async function pause(r: Owners, minutes: number): Promise<{ pausedUntilMs: number | null }> {
  const { maxPauseMinutes } = r.policy.current();
  if (minutes > maxPauseMinutes)
    throw new IpcFault('refused', `A pause may last ${maxPauseMinutes} minutes at most, by your organisation's policy.`);
  await keep(r, minutes === 0 ? r.pause.end() : r.pause.begin(minutes));
  return { pausedUntilMs: r.pause.untilMs() ?? null };
}

/** Enough of the newest batches to hold each item once. */
const LOOKED_THROUGH = 60;

async function switchItem(r: Owners, item: (typeof USER_SWITCHES)[number], on: boolean): Promise<void> {
  const { config } = r.deps;
  if (on && !(config.collect[item] && r.policy.current().collect[item]))
    throw new IpcFault('refused', 'Policy or configuration keeps this back; it cannot be switched on here.');
  const before = disclosureState(r);
  await keep(r, r.switches.set(item, on));
  // Who switches something on has seen it.
  if (before === 'shown' || before === 'accepted') await answerConsent(r, before);
  r.uplink.tell();
  r.faces.changed();
}

function noteFace(r: Owners, note: FaceNote): void {
  r.context.noteBattery(note.onBattery);
  if (note.power !== null) r.waking.followPower(note.power);
  r.faces.changed();
}

function refuseTest(r: Owners): IpcFault {
  if (r.pause.untilMs() !== undefined) return new IpcFault('refused', 'Measuring is paused.');
  return new IpcFault(
    'refused',
    disclosureState(r) === 'declined' ? 'Measuring was declined.' : 'Nothing is measured before it was shown.',
  );
}

/** Faces show one at a time; more are ids of what nobody looks at any more. */
const DISCLOSED = 8;

/** What faces asked to show: an answer is to one of these, never to what policy has come to ask for since. */
function createDisclosed(r: Owners) {
  const shown = new Map<string, Scope>();
  return {
    note(): void {
      const asked = scope(r);
      shown.delete(scopeId(asked));
      shown.set(scopeId(asked), asked);
      for (const id of [...shown.keys()].slice(0, -DISCLOSED)) shown.delete(id);
    },
    async answer({ answer, of, words }: IpcParsed<'answerDisclosure'>) {
      const answered = of === undefined ? [...shown.values()].at(-1) : shown.get(of);
      if (of !== undefined && !answered) throw new IpcFault('refused', 'Nothing of that name was shown by this service.');
      await answerConsent(r, answer, { scope: answered, words });
      return { disclosure: disclosureState(r) };
    },
  };
}

/** What faces may ask of a service. */
export function createFaceCalls(r: Owners): FaceCalls {
  const disclosed = createDisclosed(r);
  const { now, steady } = r.deps.clock;
  const recordTold = createToldRequests({ server: () => serverOf(r), now, steady });
  const disclose = async (): Promise<DisclosureView> => {
    const blocks = await r.ledgerIndex.newest(LOOKED_THROUGH);
    disclosed.note();
    return disclosureView(r, lastSent(blocks));
  };
  return {
    watch: () => serviceState(r),
    testNow() {
      if (!mayMeasure(r)) throw refuseTest(r);
      if (r.deepTest.isRunning()) throw new IpcFault('busy', 'A deeper test is running.');
      return r.testNow.start();
    },
    testDeeper() {
      if (!mayMeasure(r)) throw refuseTest(r);
      if (r.testNow.view()?.running) throw new IpcFault('busy', 'A test is running.');
      return r.deepTest.start();
    },
    pause: (input) => pause(r, input.minutes),
    answerDisclosure: disclosed.answer,
    disclosure: disclose,
    async switchItem({ item, on }) {
      await switchItem(r, item, on);
      return await disclose();
    },
    about: () => aboutView(r),
    helpdesk: () => helpdeskView(r),
    note(input) {
      noteFace(r, input);
      return {};
    },
    noteSent(input) {
      void r.ledger.append(recordTold(input));
      return {};
    },
    proxyFound({ ask, proxy }) {
      r.faces.proxies.found(ask, proxy);
      return {};
    },
    ledger: (input) => ledgerPage(r.ledgerIndex, input),
    ledgerEntry: (input) => ledgerEntry(r.ledgerIndex, input),
  };
}
