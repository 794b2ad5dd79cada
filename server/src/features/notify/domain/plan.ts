import type { IncidentState } from '@svc/contracts/incidents/incident';
import type { Verb } from '@svc/contracts/notify/kinds';
import type { LinkState, MessageState } from '@svc/contracts/notify/outbox';
import { ACKNOWLEDGED, ASSUMED, MAY_BE_CLOSED } from './step.ts';

/** Follow-ups are told at most so often to one link. */
export const UPDATE_EVERY_MS = 5 * 60_000;
const DAY_MS = 86_400_000;

/** A message that is not done, or is new. */
export interface PlanRow {
  id: string;
  seq: number;
  verb: Verb;
  state: MessageState;
  why: string;
  cause: string;
  actor: string;
  detail: string;
  isDelayed: boolean;
  dueMs: number;
  expiresMs: number;
  /** Being sent, or perhaps taken already: it cannot be taken back. */
  isInFlight: boolean;
  change: 'none' | 'new' | 'changed';
}

export interface PlanLink {
  connector: string;
  state: LinkState;
  lastSeq: number;
  isAcknowledged: boolean;
  isOrigin: boolean;
  note: string;
  updatedMs: number | null;
  reopenedMs: number | null;
  /** Those that are not done, in their order; new ones are added. */
  rows: PlanRow[];
  change: 'none' | 'new' | 'changed';
}

export interface PlanConnector {
  id: string;
  canUpdate: boolean;
  canAcknowledge: boolean;
  canResolve: boolean;
}

export interface PlanTransition {
  kind: string;
  actor: string;
  detail: string;
}

export interface PlanIncident {
  status: IncidentState;
  openSignalCount: number;
}

export interface Plan {
  incident: PlanIncident;
  /** By connector; what becomes of them is written into them. */
  links: Map<string, PlanLink>;
  /** Those that may be told something, whatever their state. */
  connectors: ReadonlyMap<string, PlanConnector>;
  /** Who of these is told of the incident, and when. */
  decide: (untold: readonly string[]) => ReadonlyMap<string, { dueMs: number }>;
  nowMs: number;
  newId: () => string;
}

const TELLING = ['opened', 'reopened', 'signal_joined', 'signal_removed', 'severity_set', 'merged'];

/** The connector that somebody acted at, of an actor such as `connector/abc`. */
export const originOf = (actor: string): string | null =>
  actor.startsWith('connector/') ? actor.slice('connector/'.length) : null;

const touch = (one: { change: 'none' | 'new' | 'changed' }): void => {
  if (one.change === 'none') one.change = 'changed';
};

interface Adding {
  verb: Verb;
  because: PlanTransition;
  dueMs?: number;
  isDelayed?: boolean;
  heldBack?: string;
}

function add(plan: Plan, link: PlanLink, { verb, because, dueMs = plan.nowMs, isDelayed = false, heldBack }: Adding): void {
  link.lastSeq += 1;
  link.rows.push({
    ...{
      id: plan.newId(),
      seq: link.lastSeq,
      verb,
      state: heldBack === undefined ? 'waiting' : 'held_back',
      why: heldBack ?? '',
    },
    ...{ cause: because.kind, actor: because.actor, detail: because.detail.slice(0, 500), isDelayed, dueMs },
    ...{ expiresMs: dueMs + DAY_MS, isInFlight: false, change: 'new' },
  });
  touch(link);
}

function drop(link: PlanLink, isMeant: (row: PlanRow) => boolean, why: string): void {
  for (const row of link.rows) {
    if (row.state !== 'waiting' || row.isInFlight || !isMeant(row)) continue;
    row.state = 'dropped';
    row.why = why;
    touch(row);
  }
}

const pending = (link: PlanLink, verb: Verb): PlanRow | undefined =>
  link.rows.find((row) => row.verb === verb && (row.state === 'waiting' || row.state === 'confirming'));

/** An open of which nothing has left this server. */
const unsentOpen = (link: PlanLink | undefined): PlanRow | undefined => {
  const row = link?.state === 'waiting' ? pending(link, 'open') : undefined;
  return row && row.state === 'waiting' && !row.isInFlight ? row : undefined;
};

/** Nothing was said of it yet: whoever is told later is told anew. */
function takeBack(link: PlanLink, why: string): void {
  drop(link, () => true, why);
  link.state = 'dropped';
  link.note = why;
  touch(link);
}

/** Whoever was not told is told as the rules say now; what a delay or quiet hours hold back goes earlier where they say so. */
function tellWhoWasNot(plan: Plan, because: PlanTransition): void {
  const { incident, links, connectors, nowMs } = plan;
  const isHeld = (id: string): boolean => unsentOpen(links.get(id))?.isDelayed === true;
  const untold = [...connectors.keys()].filter((id) => (links.get(id)?.state ?? 'dropped') === 'dropped' || isHeld(id));
  if (untold.length === 0 || incident.status === 'resolved') return;
  for (const [connector, { dueMs }] of plan.decide(untold)) {
    const held = unsentOpen(links.get(connector));
    if (held && dueMs < held.dueMs) touch(Object.assign(held, { dueMs }));
    // Somebody has it: no delay begins, until it opens again.
    if (held || (dueMs > nowMs && incident.status === 'acknowledged')) continue;
    const link: PlanLink = links.get(connector) ?? {
      ...{ connector, state: 'waiting', lastSeq: 0, isAcknowledged: false, isOrigin: false, note: '' },
      ...{ updatedMs: null, reopenedMs: null, rows: [], change: 'new' },
    };
    links.set(connector, link);
    Object.assign(link, { state: 'waiting', note: '', isOrigin: false });
    add(plan, link, { verb: 'open', because, dueMs, isDelayed: dueMs > nowMs });
  }
}

/** At most once in five minutes: one that waits says all that came meanwhile. */
function addUpdate(plan: Plan, link: PlanLink, because: PlanTransition): void {
  if (link.state !== 'open' || pending(link, 'resolve')) return;
  const isRecent = link.updatedMs !== null && plan.nowMs - link.updatedMs < UPDATE_EVERY_MS;
  const canUpdate = plan.connectors.get(link.connector)?.canUpdate === true;
  if (!canUpdate) {
    if (isRecent) return;
    link.updatedMs = plan.nowMs;
    add(plan, link, { verb: 'update', because, heldBack: 'already told: a follow-up is not told again' });
    return;
  }
  if (link.rows.some((row) => row.verb === 'update' && row.state === 'waiting' && !row.isInFlight)) return;
  const dueMs = Math.max(plan.nowMs, (link.updatedMs ?? Number.NEGATIVE_INFINITY) + UPDATE_EVERY_MS);
  link.updatedMs = dueMs;
  add(plan, link, { verb: 'update', because, dueMs });
}

function acknowledge(plan: Plan, link: PlanLink, because: PlanTransition): void {
  if ((link.state !== 'open' && link.state !== 'waiting') || pending(link, 'resolve')) return;
  if (unsentOpen(link)?.isDelayed) {
    takeBack(link, ACKNOWLEDGED);
    return;
  }
  link.isAcknowledged = true;
  touch(link);
  if (originOf(because.actor) === link.connector)
    add(plan, link, { verb: 'acknowledge', because, heldBack: 'it came from there' });
  else if (plan.connectors.get(link.connector)?.canAcknowledge) add(plan, link, { verb: 'acknowledge', because });
  else addUpdate(plan, link, because);
}

function resolve(plan: Plan, link: PlanLink, because: PlanTransition): void {
  if (link.state === 'dropped' || link.state === 'gone' || (link.state === 'resolved' && !pending(link, 'reopen'))) return;
  const isOrigin = originOf(because.actor) === link.connector;
  if (isOrigin) {
    drop(link, () => true, 'the incident was resolved');
    Object.assign(link, { state: 'resolved', isOrigin: true });
    add(plan, link, { verb: 'resolve', because, heldBack: 'it came from there' });
    return;
  }
  if (unsentOpen(link)) {
    takeBack(link, 'the incident was resolved before it was sent');
    return;
  }
  const reopening = pending(link, 'reopen');
  drop(link, ({ verb }) => verb !== 'open' && verb !== 'resolve', 'the incident was resolved');
  // It is still closed there: there is nothing to close.
  if (reopening?.state === 'dropped' && link.state === 'resolved') return;
  if (pending(link, 'resolve')) return;
  if (plan.connectors.get(link.connector)?.canResolve === false) {
    Object.assign(link, { state: 'resolved' });
    touch(link);
  } else add(plan, link, { verb: 'resolve', because });
}

function reopen(plan: Plan, link: PlanLink, because: PlanTransition): void {
  if (link.state === 'dropped') return;
  link.isAcknowledged = false;
  link.reopenedMs = plan.nowMs;
  touch(link);
  const resolving = pending(link, 'resolve');
  if (resolving) {
    drop(link, (row) => row === resolving, 'the incident was opened again');
    // It never closed there; but what may not be open is not left unsaid.
    const isThere = link.state === 'waiting' || (link.state === 'open' && ![ASSUMED, MAY_BE_CLOSED].includes(link.note));
    if (resolving.state === 'dropped' && isThere) return;
  }
  if (link.state === 'resolved' || link.state === 'gone' || resolving) {
    const reopening = pending(link, 'reopen');
    // One that is on its way already may have been resolved there since.
    if (!reopening || (reopening.isInFlight && link.isOrigin)) add(plan, link, { verb: 'reopen', because });
    link.isOrigin = false;
  }
}

/** What recovers within its delay is not told. */
function recover(plan: Plan, link: PlanLink): void {
  if (plan.incident.openSignalCount === 0 && unsentOpen(link)?.isDelayed) takeBack(link, 'it recovered within the delay');
}

/**
 * What one transition of an incident means for those who are told of it. Pure but for the links, into which it is written; the same input
 * plans the same.
 */
export function planTransition(plan: Plan, transition: PlanTransition): void {
  const { kind } = transition;
  const isResolved = plan.incident.status === 'resolved';
  for (const link of [...plan.links.values()]) {
    if (!plan.connectors.has(link.connector)) continue;
    if (kind === 'resolved' || (kind === 'merged' && isResolved)) resolve(plan, link, transition);
    else if (kind === 'reopened') reopen(plan, link, transition);
    else if (kind === 'acknowledged') acknowledge(plan, link, transition);
    else if (kind === 'signal_recovered') recover(plan, link);
    else if (['signal_joined', 'severity_set', 'merged'].includes(kind) && !isResolved) addUpdate(plan, link, transition);
  }
  if (TELLING.includes(kind)) tellWhoWasNot(plan, transition);
}
