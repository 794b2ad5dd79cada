import type { AgentStatus, BatchAck, ServerMessage } from '@svc/contracts/agent/messages';
import { messageOf } from '../agent-error.ts';
import { ALL_ON } from '../choices/switches.ts';
import type { HostFacts } from '../identity/bare-facts.ts';
import { type Collect, NO_LABELS } from '../privacy/collect.ts';
import type { Ledger } from '../publish/ledger.ts';
import { createLink, type Link, type LinkState } from '../publish/link.ts';
import { receiptKeyOf } from '../publish/receipt.ts';
import { restrictRecord } from '../publish/record.ts';
import type { Spool } from '../publish/spool.ts';
import type { ConnectedFaces } from './connected-faces.ts';
import type { ServiceDeps } from './deps.ts';
import type { Findings } from './findings.ts';
import { agentState, type Deciding, disclosureState, labelsToTell, mayMeasure, mayTell, settings } from './in-force.ts';
import { createSentRecord, type SentRecord } from './sent-record.ts';

/** A verdict is sent at once and takes along what was measured since the last one: small batches cost more than they carry. */
const GATHER_MS = 60_000;

export interface UplinkDeps extends Deciding {
  deps: ServiceDeps;
  facts: HostFacts;
  findings: Findings;
  spool: Spool;
  ledger: Ledger;
  faces: ConnectedFaces;
}

/** The link to the control plane, with what it sends of this service. Before `start` and after `stop` its verbs do nothing. */
export interface Uplink extends Pick<Link, 'wake' | 'tell' | 'retryNow'> {
  /** Undefined until the first connection was tried. */
  state(): LinkState | undefined;
  isStarted(): boolean;
  start(onMessage: (message: ServerMessage) => Promise<void>): void;
  stop(): Promise<void>;
}

function statusOf(r: UplinkDeps, link: LinkState | undefined, told: Readonly<Collect>): AgentStatus {
  const spool = r.spool.status();
  const shownAtMs = r.consent.shownAtMs();
  const missing = r.findings.missing();
  return {
    state: agentState(r, { link, missing }),
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
    face: r.faces.hasWindow() ? 'window' : 'headless',
    missing_permissions: [...missing],
    disclosure: disclosureState(r),
  };
}

/** Each status in turn; the labels of this device go with the first of a connection, and with the first after they may. */
function createStatuses(r: UplinkDeps, link: () => LinkState | undefined) {
  let told = NO_LABELS;
  return {
    next(): AgentStatus {
      const labels = labelsToTell(r);
      const isNew = labels.site !== told.site || labels.ownerEmail !== told.ownerEmail;
      told = labels;
      const status = statusOf(r, link(), mayTell(r));
      return isNew ? { ...status, site: labels.site ?? '', owner_email: labels.ownerEmail ?? '' } : status;
    },
    /** As it would be if nothing were withheld. */
    whole: () => statusOf(r, link(), ALL_ON),
    reconnected(): void {
      told = NO_LABELS;
    },
  };
}

const openRecord = (r: UplinkDeps, wholeStatus: () => AgentStatus): SentRecord =>
  createSentRecord({
    ledger: r.ledger,
    now: r.deps.clock.now,
    server: () => r.keeper.current()?.identity.grpcAddr ?? '',
    wholeStatus,
    receiptKey: () => {
      const held = r.keeper.current();
      return held && receiptKeyOf(held.identity);
    },
  });

function noteAnswered(r: UplinkDeps, ack: BatchAck): void {
  if (ack.rejected > 0)
    r.deps.log(`The server refused ${ack.rejected} results: ${ack.rejected_reasons.join('; ').slice(0, 300)}`);
  r.faces.changed();
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

/** Logs a state that differs from the one before. */
function logLink(r: UplinkDeps, before: LinkState | undefined, now: LinkState): void {
  if (before?.connected === now.connected && before.problem === now.problem) return;
  if (now.connected) r.deps.log(`Connected to ${r.keeper.current()?.identity.grpcAddr}.`);
  else if (now.problem) r.deps.log(`${WORDS[now.problem]} (${now.message}).`);
}

export function createUplink(r: UplinkDeps): Uplink {
  let link: Link | undefined;
  let state: LinkState | undefined;
  const statuses = createStatuses(r, () => state);
  const record = openRecord(r, statuses.whole);
  const noteState = (now: LinkState): void => {
    if (!now.connected) statuses.reconnected();
    const before = state;
    // Kept over further failures: offline since the first one.
    const since = before && !before.connected && !now.connected ? before.since : now.since;
    state = { ...now, since };
    r.faces.changed();
    logLink(r, before, now);
  };
  return {
    wake: (at) => link?.wake(at),
    tell: () => link?.tell(),
    retryNow: () => link?.retryNow(),
    state: () => state,
    isStarted: () => link !== undefined,
    start(onMessage) {
      link = createLink({
        spool: r.spool,
        credentials: () => r.keeper.credentials(),
        recover: (ending) => r.keeper.recover(ending),
        status: statuses.next,
        roots: () => r.deps.runChore('readRoots', {}),
        isHeld: () => !mayMeasure(r),
        // What waited since before a person or a policy switched something off.
        prepare: (record) => restrictRecord(record, settings(r).collect),
        onMessage: (message) => {
          onMessage(record.heard(message)).catch((error) => r.deps.log(messageOf(error)));
        },
        onSending: record.sending,
        async onDelivered(_records, ack, bytes) {
          await record.acknowledged(bytes, ack);
          noteAnswered(r, ack);
        },
        onState: noteState,
        now: r.deps.clock.now,
        lingerMs: GATHER_MS,
        ...(r.deps.protocol === undefined ? {} : { protocol: r.deps.protocol }),
      });
    },
    stop: async () => await link?.stop(),
  };
}
