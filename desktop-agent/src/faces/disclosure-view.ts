import type { CollectItem, DisclosureView } from '@svc/contracts/agent/ipc';
import { scopeId } from '../choices/scope.ts';
import { COLLECT_DEFAULTS, COLLECT_KEYS, type Collect, LABEL_KEYS } from '../privacy/collect.ts';
import { type Deciding, labelsToTell, scope, serverOf, wantedSettings } from '../service/in-force.ts';
import type { Owners } from '../service/open.ts';
import type { Settings } from '../settings.ts';
import { addedTo } from './added-items.ts';
import type { LastSent } from './last-sent.ts';

type Disclosed = Pick<Owners, keyof Deciding | 'facts' | 'plane' | 'uplink'>;
type Decider = CollectItem['decidedBy'];
type IntervalName = keyof Settings['intervals'];

const MAX_TARGETS = 33;

/** A tenant's policy has version 1 and up. */
const decidedWithout = (r: Disclosed): Decider => (r.policy.current().version > 0 ? 'policy' : 'default');

function whoDecided(r: Disclosed, key: keyof Collect): Decider {
  const { config } = r.deps;
  if (config.collect[key] !== COLLECT_DEFAULTS[key]) return 'device';
  if (!config.collect[key]) return 'default';
  if (!r.policy.current().collect[key]) return 'policy';
  return r.switches.current()[key] ? decidedWithout(r) : 'you';
}

const isYours = (r: Disclosed, key: keyof Collect): boolean => r.deps.config.collect[key] && r.policy.current().collect[key];

function measuredItems(r: Disclosed, settings: Settings): Omit<CollectItem, 'last'>[] {
  const { config } = r.deps;
  const server = serverOf(r);
  const often = (own: number | undefined): Decider => (own === undefined ? decidedWithout(r) : 'device');
  const chosen = (own: readonly string[], all: readonly string[]): Decider => {
    if (own.length > 0) return 'device';
    return all.length > 0 ? 'policy' : decidedWithout(r);
  };
  const item = (name: CollectItem['item'], decidedBy: Decider, of: { name: IntervalName; targets?: readonly string[] }) => ({
    item: name,
    on: true,
    decidedBy,
    yours: false,
    everySeconds: settings.intervals[of.name] / 1000,
    targets: (of.targets ?? []).slice(0, MAX_TARGETS).map((target) => target.slice(0, 256)),
  });
  const { traceTargets: traced, sessionTargets: opened } = settings;
  return [
    item('wifi', often(config.wifiIntervalSeconds), { name: 'wifi' }),
    item('gateway', often(config.gatewayIntervalSeconds), { name: 'gateway' }),
    { ...item('path', chosen(config.traceTargets, traced), { name: 'path', targets: traced }), on: traced.length > 0 },
    item('session', chosen(config.sessionTargets, opened), {
      name: 'session',
      targets: [...opened, ...(server ? [server] : [])],
    }),
    item('resolver', often(config.sessionIntervalSeconds), { name: 'session' }),
    item('agent', often(config.sessionIntervalSeconds), { name: 'session' }),
    item('context', 'default', { name: 'session' }),
  ];
}

const identifierItems = (r: Disclosed, { collect }: Settings): Omit<CollectItem, 'last'>[] =>
  COLLECT_KEYS.map((key) => ({
    item: key,
    on: collect[key],
    decidedBy: whoDecided(r, key),
    yours: isYours(r, key),
    everySeconds: null,
    targets: [],
  }));

const labelItems = ({ deps: { config } }: Disclosed): Omit<CollectItem, 'last'>[] =>
  LABEL_KEYS.filter((key) => config[key] !== undefined).map((key) => ({
    item: key,
    on: config.sendsLabels[key],
    decidedBy: 'device',
    yours: false,
    everySeconds: null,
    targets: [],
  }));

/** What leaves with the status, and not as a result. */
function lastTold(r: Disclosed, { collect }: Settings): LastSent {
  const link = r.uplink.state();
  if (!link?.connected) return {};
  const atMs = link.since;
  const model = [r.facts.osVersion, r.facts.model].filter((word) => word !== '').join(', ');
  const labels = labelsToTell(r);
  return {
    ...(labels.site ? { site: { text: labels.site, atMs } } : {}),
    ...(labels.ownerEmail ? { ownerEmail: { text: labels.ownerEmail.slice(0, 200), atMs } } : {}),
    ...(collect.deviceName && r.facts.deviceName ? { deviceName: { text: r.facts.deviceName.slice(0, 200), atMs } } : {}),
    ...(collect.hostFacts && model ? { hostFacts: { text: model.slice(0, 200), atMs } } : {}),
  };
}

/** What is collected as device, tenant and person ask for it now, each with who decided it. `last` by item. */
export function disclosureView(r: Disclosed, last: LastSent): DisclosureView {
  const settings = wantedSettings(r);
  const items = [...measuredItems(r, settings), ...identifierItems(r, settings), ...labelItems(r)];
  const known: LastSent = { ...last, ...lastTold(r, settings) };
  const asked = scope(r);
  return {
    id: scopeId(asked),
    added: addedTo(r.consent.shown(), asked, items),
    policyVersion: settings.policyVersion,
    policyAtMs: r.policy.receivedAtMs() ?? null,
    items: items.map((item) => ({ ...item, last: known[item.item] ?? null })),
    server: serverOf(r),
    organisation: r.plane.organisation,
    readers: r.plane.readers,
    keptDays: r.plane.keptDays,
  };
}
