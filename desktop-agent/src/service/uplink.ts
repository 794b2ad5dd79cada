import type { AgentStatus, BatchAck, ServerMessage } from '@svc/contracts/agent/messages';
import { messageOf } from '../agent-error.ts';
import { FULL_DEPTH, USUAL_DEPTH } from '../measure/measurer.ts';
import { createLink, type Link, type LinkState } from '../publish/link.ts';
import { decodeRecord, restrictRecord, wirePart } from '../publish/record.ts';
import type { Settings } from '../settings.ts';
import { disclose, followRules } from './gate.ts';
import { agentState, disclosureState, mayMeasure, mayTell, settings } from './in-force.ts';
import { runNow } from './rounds.ts';
import type { Running } from './running.ts';

/** A verdict is sent at once and takes along what was measured since the last one: small batches cost more than they carry. */
const GATHER_MS = 60_000;

function statusOf(r: Running): AgentStatus {
  const told = mayTell(r);
  const spool = r.spool.status();
  const shownAtMs = r.consent.shownAtMs();
  return {
    state: agentState(r),
    paused_until_ms: r.pause.untilMs() ?? 0,
    agent_version: r.deps.version,
    os: r.facts.os,
    os_version: told.hostFacts ? r.facts.osVersion : '',
    arch: r.facts.arch,
    model: told.hostFacts ? r.facts.model : '',
    policy_version: settings(r).policyVersion,
    spool_results: spool.results,
    spool_dropped: spool.dropped,
    device_name: told.deviceName ? r.facts.deviceName : '',
    clock_ms: r.deps.clock.now(),
    disclosure_shown_at: shownAtMs === undefined ? '' : new Date(shownAtMs).toISOString(),
    simulated: false,
    face: r.hasWindow() ? 'window' : 'headless',
    missing_permissions: [...r.missing],
    disclosure: disclosureState(r),
  };
}

async function noteDelivered(r: Running, records: readonly Uint8Array[], ack: BatchAck): Promise<void> {
  if (ack.rejected > 0)
    r.deps.log(`The server refused ${ack.rejected} results: ${ack.rejected_reasons.join('; ').slice(0, 300)}`);
  const server = r.keeper.current()?.identity.grpcAddr ?? '';
  const bytes = records.reduce((sum, record) => sum + wirePart(record).length, 0);
  await r.ledger.append({ at: r.deps.clock.now(), server, results: records.map(decodeRecord), bytes });
  r.changed();
}

/** What a changed policy means for the person whose device it is: whom it contacts from now on. */
function describePolicy({ policyVersion, traceTargets, sessionTargets }: Settings): string {
  const list = (targets: readonly string[]): string => (targets.length > 0 ? targets.join(', ') : 'nothing');
  return `Policy ${policyVersion} is in force: traces ${list(traceTargets)}, opens ${list(sessionTargets)}.`;
}

async function followPolicy(r: Running): Promise<void> {
  await r.pause.cap(r.policy.current().maxPauseMinutes).catch((error) => r.deps.log(messageOf(error)));
  const wasShown = disclosureState(r) !== 'not_shown';
  await disclose(r);
  followRules(r);
  r.deps.log(describePolicy(settings(r)));
  r.link?.tell();
  // What is shown first is measured once it was.
  if (wasShown) runNow(r, USUAL_DEPTH);
}

async function hearServer(r: Running, message: ServerMessage): Promise<void> {
  if (r.plane.hear(message)) r.changed();
  if (message.policy_json !== '' && (await r.policy.receive(message.policy_json))) await followPolicy(r);
  if (message.run_now) runNow(r, FULL_DEPTH);
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
  // Kept over further failures: offline since the first one.
  const since = before && !before.connected && !state.connected ? before.since : state.since;
  r.linkState = { ...state, since };
  r.changed();
  if (before?.connected === state.connected && before.problem === state.problem) return;
  if (state.connected) r.deps.log(`Connected to ${r.keeper.current()?.identity.grpcAddr}.`);
  else if (state.problem) r.deps.log(`${WORDS[state.problem]} (${state.message}).`);
}

export function startLink(r: Running): Link {
  return createLink({
    spool: r.spool,
    credentials: () => r.keeper.credentials(),
    recover: (ending) => r.keeper.recover(ending),
    status: () => statusOf(r),
    roots: () => r.deps.runChore('readRoots', {}),
    isHeld: () => !mayMeasure(r),
    // What waited since before a person or a policy switched something off.
    prepare: (record) => restrictRecord(record, settings(r).collect),
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
