import type { NativeReader, NativeReading, ObjectNews } from '#kernel';
import { verifyHex } from '#webhooks';
import { pick } from '../calls/ask.ts';
import { isKey, momentOf, newsOf, nothing, notUnderstood, numberOf, textOf } from './reading.ts';

/** The native shapes of those that can tell us something. */

type Became = ObjectNews['became'];
type Reads = (body: unknown) => NativeReading;

const PAGER_A: Readonly<Record<string, Became>> = {
  'incident.acknowledged': 'acknowledged',
  'incident.resolved': 'resolved',
  'incident.reopened': 'reopened',
};

/** PagerDuty, webhooks v3: one event a delivery. The incident's key there is not ours, so that its id has to be asked about. */
const readPagerA: Reads = (body) => {
  const event = textOf(pick(body, 'event', 'event_type'));
  // Each event has an id of its own.
  const delivery = textOf(pick(body, 'event', 'id')) ?? null;
  if (event === undefined) return notUnderstood('', 'the body names no event', delivery);
  const became = PAGER_A[event];
  if (became === undefined) return nothing(event, delivery);
  const id = textOf(pick(body, 'event', 'data', 'id'));
  if (id === undefined) return notUnderstood(event, 'the event names no incident', delivery);
  const key = textOf(pick(body, 'event', 'data', 'incident_key'));
  const atMs = momentOf(pick(body, 'event', 'occurred_at'));
  const by = textOf(pick(body, 'event', 'agent', 'summary')) ?? null;
  const names = [...(isKey(key) ? [{ key }] : []), { id }];
  return newsOf({ event, delivery, needsNames: isKey(key) ? null : id }, { names, became, order: atMs, atMs, by });
};

const PAGER_B: Readonly<Record<string, Became>> = { Acknowledge: 'acknowledged', Close: 'resolved', Delete: 'deleted' };
const NANOSECONDS_A_MS = 1e6;

/** Opsgenie and its successor: `action` says it, the alias is our key. */
const readPagerB: Reads = (body) => {
  const event = textOf(pick(body, 'action'));
  if (event === undefined) return notUnderstood('', 'the body names no action');
  const became = PAGER_B[event];
  if (became === undefined) return nothing(event, null);
  const [alias, id] = [textOf(pick(body, 'alert', 'alias')), textOf(pick(body, 'alert', 'alertId'))];
  if (alias === undefined && id === undefined) return notUnderstood(event, 'the action names no alert');
  // Nanoseconds, more than a number holds exactly: enough to tell which came first.
  const updated = numberOf(pick(body, 'alert', 'updatedAt'));
  const atMs = updated === null ? null : Math.floor(updated / NANOSECONDS_A_MS);
  const names = [...(isKey(alias) ? [{ key: alias }] : []), ...(alias ? [{ id: alias }] : []), ...(id ? [{ id }] : [])];
  return newsOf(
    { event, delivery: null },
    { names, became, order: atMs, atMs, by: textOf(pick(body, 'alert', 'username')) ?? null },
  );
};

/** Work in progress is no acknowledgement: a record that we re-open is in it, and nobody has taken it yet. */
const TICKET_A: Readonly<Record<string, Became>> = { 6: 'resolved', 7: 'resolved' };

/** ServiceNow's business rule, whose body the instance's own script makes: `sys_id` and `state`, as text or as a number. */
const readTicketA: Reads = (body) => {
  const id = textOf(pick(body, 'sys_id'));
  const given = pick(body, 'state');
  if (id === undefined) return notUnderstood('', 'the body has no sys_id');
  const state = typeof given === 'number' ? String(given) : (textOf(given) ?? '');
  const event = `state ${state}`;
  if (!/^-?\d+$/.test(state))
    return notUnderstood(event, `state not understood: "${state}" is a label or empty; send current.getValue("state")`);
  const became = TICKET_A[state];
  if (became === undefined) return nothing(event, null);
  const key = textOf(pick(body, 'correlation_id'));
  const by = textOf(pick(body, 'sys_updated_by')) ?? null;
  // A rule that runs later cannot see which of two changes came first; the record's own counter can.
  const order = numberOf(pick(body, 'sys_mod_count'));
  const names = [{ id }, ...(isKey(key) ? [{ key }] : [])];
  return newsOf({ event, delivery: null }, { names, became, order, atMs: null, by });
};

/** Labels of one issue that may be ours: what it names is kept, and looked for. */
const MOST_KEYS = 20;

interface Change {
  field: string;
  to: unknown;
}

const changesOf = (body: unknown): Change[] => {
  const items = pick(body, 'changelog', 'items');
  return Array.isArray(items) ? items.map((one) => ({ field: textOf(pick(one, 'field')) ?? '', to: pick(one, 'toString') })) : [];
};

/** By the category alone: names and event types differ between workflows, languages and editions. */
function findBecame(body: unknown, event: string): Became | undefined {
  if (event === 'jira:issue_deleted') return 'deleted';
  const category = textOf(pick(body, 'issue', 'fields', 'status', 'statusCategory', 'key'));
  if (category === 'done') return 'resolved';
  const changes = changesOf(body);
  const isCleared = changes.some(({ field, to }) => field === 'resolution' && typeof to !== 'string');
  if (isCleared || textOf(pick(body, 'issue_event_type_name')) === 'issue_reopened') return 'reopened';
  return category === 'indeterminate' && changes.some(({ field }) => field === 'status') ? 'acknowledged' : undefined;
}

/** Jira's issue webhook, and the specification's short form with a status category alone. */
const readTicketB: Reads = (body) => {
  const event = textOf(pick(body, 'webhookEvent')) ?? '';
  const id = textOf(pick(body, 'issue', 'id'));
  // Comments of a Server have no issue at all.
  if (id === undefined && event !== '') return nothing(event, null);
  if (id === undefined) return notUnderstood(event, 'the body names no issue');
  const isAboutIssue = event === '' || event.startsWith('jira:issue_');
  const became = isAboutIssue ? findBecame(body, event) : undefined;
  if (became === undefined) return nothing(event, null);
  const labels = pick(body, 'issue', 'fields', 'labels');
  const keys = (Array.isArray(labels) ? labels : []).map(textOf).filter(isKey).slice(0, MOST_KEYS);
  const atMs = numberOf(pick(body, 'timestamp'));
  const by = textOf(pick(body, 'user', 'displayName')) ?? null;
  return newsOf({ event, delivery: null }, { names: [{ id }, ...keys.map((key) => ({ key }))], became, order: atMs, atMs, by });
};

/** Those that sign in no way of their own send our token instead, which is checked where the portable contract is. */
const unsigned: NativeReader['verify'] = () => 'absent';

export function createReaders(
  askNames: NonNullable<NativeReader['askNames']>,
): Readonly<Record<NativeReader['provider'], NativeReader>> {
  return {
    pager_a: {
      ...{ provider: 'pager_a', idHeader: 'x-webhook-id', read: readPagerA, askNames },
      verify: (secret, delivery) => verifyHex(secret, delivery, { header: 'x-pagerduty-signature', prefix: 'v1=', isList: true }),
    },
    pager_b: { provider: 'pager_b', read: readPagerB, verify: unsigned },
    ticket_a: { provider: 'ticket_a', read: readTicketA, verify: unsigned },
    ticket_b: {
      ...{ provider: 'ticket_b', idHeader: 'x-atlassian-webhook-identifier', read: readTicketB },
      verify: (secret, delivery) => verifyHex(secret, delivery, { header: 'x-hub-signature', prefix: 'sha256=', isList: false }),
    },
  };
}
