import type { Connection, Finding, Message, ObjectState, Outcome, Provider, Reference } from '#kernel';
import {
  type Answered,
  createAsk,
  judge,
  pick,
  pickText,
  type Question,
  type Refused,
  type Reply,
  sayOf,
  secretsOf,
} from '../calls/ask.ts';
import { field, readConnection } from '../calls/connection.ts';
import { type About, again, type ProviderDeps, unasked } from '../context.ts';
import { cut, cutBefore } from '../domain/cut.ts';
import { forServiceNow } from '../domain/escape.ts';
import { PRODUCT, plainOf, summaryOf, type Text, textOf } from '../domain/templates.ts';

/** ServiceNow's Table API for incidents (docs/notify/servicenow.md). */

const FIELDS = [
  field('url', 'Instance', {
    help: 'The address of the instance, without a path.',
    ...{ is_required: true, placeholder: 'https://example.service-now.com' },
  }),
  field('credential', 'User and password, or token', {
    help: 'user:password of an account with the role itil, or an OAuth access token. It creates incidents, writes work notes and resolves; it never closes.',
    ...{ is_secret: true, is_required: true, placeholder: 'user:password' },
  }),
  field('close_code', 'Close code', {
    help: "One of the instance's own choices for the resolution code: the instance refuses a resolve without it.",
    fallback: 'Solution provided',
  }),
  field('close_notes', 'Close notes', { help: 'The resolution notes.', fallback: `Resolved in the ${PRODUCT}.` }),
  field('assignment_group', 'Assignment group', {
    help: 'The sys_id of the group that gets the incidents. Empty: assignment rules decide.',
  }),
  field('caller_id', 'Caller', { help: 'The sys_id of the user for whom incidents are opened, where the instance demands one.' }),
  field('category', 'Category', { help: "One of the instance's categories, such as network. Empty: its own default." }),
];
const TABLE = '/api/now/table/incident';
const ANSWER = 'sysparm_exclude_reference_link=true&sysparm_fields=sys_id,number,state';
const URGENCY = { critical: '1', warning: '2', info: '3' } as const;
const LIMITS = { short: 160, description: 4000, notes: 4000 };
/** A create that was cut is done within this, or never. */
const SETTLED_MS = 30_000;

const authorizationOf = ({ credential }: Connection): string =>
  credential.includes(':') ? `Basic ${Buffer.from(credential).toString('base64')}` : `Bearer ${credential}`;

const wordsOf = ({ json }: Answered): string | undefined =>
  [pickText(json, 'error', 'message'), pickText(json, 'error', 'detail')].filter(Boolean).join(': ') || undefined;

function notesOf(text: Text): string {
  return cutBefore(forServiceNow([text.headline, ...text.notes].join('\n')), `\n${text.link.url}`, { most: LIMITS.notes });
}

function recordOf(to: Connection, message: Message): Record<string, string> {
  const { incident, key } = message;
  const { before, title, after } = summaryOf(message);
  const text = textOf(message, 'open');
  const level = URGENCY[incident.severity];
  const named = ['assignment_group', 'caller_id', 'category'].filter((name) => to.settings[name]);
  return {
    short_description: `${before}${cut(title, LIMITS.short - [...before, ...after].length)}${after}`,
    description: cutBefore(forServiceNow(plainOf(text)), `\n\n${text.link.label}: ${text.link.url}`, {
      most: LIMITS.description,
    }),
    // Its priority follows from these two.
    ...{ urgency: level, impact: level, correlation_id: key, correlation_display: PRODUCT },
    ...Object.fromEntries(named.map((name) => [name, to.settings[name] ?? ''])),
  };
}

interface Kept {
  sysId: string;
  number: string;
  state: string;
}

function readKept(record: unknown): Kept | undefined {
  const [sysId, number, state] = ['sys_id', 'number', 'state'].map((name) => pickText(record, name));
  return sysId === undefined ? undefined : { sysId, number: number ?? '', state: state ?? '' };
}

const referenceOf = (to: Connection, { sysId, number }: Kept): Reference => ({
  ...{ id: sysId, label: number || null },
  url: `${to.url}/nav_to.do?uri=${encodeURIComponent(`incident.do?sys_id=${sysId}`)}`,
});

type Read = { ok: true; kept: Kept } | { ok: false; refused: Refused };

const ABOUT: About = {
  ...{ kind: 'ticket_a', name: 'ServiceNow', fields: FIELDS },
  testWarning:
    'A test opens an incident at ServiceNow and resolves it: assignment rules and notifications of the instance apply.',
  capabilities: () => ({
    ...{ hasKey: false, canBeFound: true, canUpdate: true, canAcknowledge: true, canResolve: true },
    ...{ reopens: 'same', confirms: false, canLook: true },
  }),
  pace: () => ({ perMinute: 60, concurrency: 2, burst: 10, gathers: 1 }),
  parse: (given) => {
    const { to, faults } = readConnection(given, { fields: FIELDS });
    for (const name of ['assignment_group', 'caller_id'])
      if (to.settings[name] && !/^[0-9a-f]{32}$/.test(to.settings[name]))
        faults.add(name, 'A sys_id has 32 characters, 0-9 and a-f.');
    faults.throwAny();
    return { ...to, url: to.url.replace(/\/api\/now(\/.*)?$/, '') };
  },
};

function createCalls({ outbound, now }: ProviderDeps) {
  const rawAsk = createAsk({ outbound });
  const ask = (to: Connection, { url, ...rest }: Question): Promise<Reply> =>
    rawAsk(to, { ...rest, url: `${to.url}${TABLE}${url}`, headers: { authorization: authorizationOf(to) } });
  const refuse = (to: Connection, answer: Answered, more: { doubts?: boolean; isOfObject?: boolean } = {}): Refused => {
    const secrets = secretsOf(to);
    // The record's fault and not the account's, although the status is the same: a policy, or a rule that aborts it.
    if (answer.status === 403 && /data policy|business rule/i.test(answer.text))
      return { is: 'final', said: sayOf(`403 ${wordsOf(answer)}`, secrets) };
    return judge(answer, { nowMs: now(), words: wordsOf, doubts: false, secrets, ...more });
  };
  /** Of a record that is asked for by its sys_id: its own 404 means that it is gone, one without these words another address. */
  const isOwn = ({ json }: Answered): boolean => pick(json, 'error') !== undefined;
  const read = async (to: Connection, id: string): Promise<Read> => {
    const reply = await ask(to, { url: `/${id}?${ANSWER}`, method: 'GET' });
    if (!reply.ok) return { ok: false, refused: reply.refused.is === 'ambiguous' ? again(reply.refused.said) : reply.refused };
    const { answer } = reply;
    const kept = answer.status === 200 ? readKept(pick(answer.json, 'result')) : undefined;
    return kept ? { ok: true, kept } : { ok: false, refused: refuse(to, answer, { isOfObject: isOwn(answer) }) };
  };
  const write = async (to: Connection, id: string | undefined, body: Record<string, string>): Promise<Outcome> => {
    const reply = await ask(to, { url: `${id ? `/${id}` : ''}?${ANSWER}`, method: id ? 'PATCH' : 'POST', body });
    if (!reply.ok) return reply.refused;
    const { answer } = reply;
    const kept = answer.status === (id ? 200 : 201) ? readKept(pick(answer.json, 'result')) : undefined;
    if (!kept) return refuse(to, answer, { doubts: true, isOfObject: id !== undefined && isOwn(answer) });
    return { is: 'sent', reference: referenceOf(to, kept), said: sayOf(`${kept.number}, state ${kept.state}`, secretsOf(to)) };
  };
  return { ask, refuse, read, write, now };
}

type Calls = ReturnType<typeof createCalls>;
type Fields = Record<string, string>;
/** What is written depends on where people have moved the record meanwhile. */
type Choose = (state: string, to: Connection) => { write: Fields } | { instead: Outcome };

const CHOICES: Readonly<Record<'update' | 'acknowledge' | 'resolve' | 'reopen', (message: Message) => Choose>> = {
  update: (message) => () => ({ write: { work_notes: notesOf(textOf(message, 'update')) } }),
  acknowledge: (message) => (state) => ({
    write: { ...(state === '1' ? { state: '2' } : {}), work_notes: notesOf(textOf(message, 'acknowledge')) },
  }),
  resolve: (message) => (state, to) => {
    // Closure fields without a change of state would only write notes.
    if (['6', '7', '8'].includes(state))
      return { instead: { is: 'sent', reference: null, said: `It was in state ${state} already.` } };
    const { close_code = '', close_notes = '' } = to.settings;
    return { write: { state: '6', close_code, close_notes, work_notes: notesOf(textOf(message, 'resolve')) } };
  },
  reopen: (message) => (state) => {
    if (state === '7' || state === '8')
      return { instead: { is: 'final', said: `It is in state ${state}, from which nothing re-opens.` } };
    return { write: { ...(state === '6' ? { state: '2' } : {}), work_notes: notesOf(textOf(message, 'reopen')) } };
  },
};

async function find(
  { ask, refuse, now }: Calls,
  to: Connection,
  asked: { message: Message; sentAtMs: number },
): Promise<Finding> {
  const query = encodeURIComponent(`correlation_id=${asked.message.key}^ORDERBYDESCsys_created_on`);
  const reply = await ask(to, { url: `?sysparm_query=${query}&sysparm_limit=1&${ANSWER}`, method: 'GET' });
  if (!reply.ok) return { is: 'unknown', afterMs: null, said: reply.refused.said };
  const rows = reply.answer.status === 200 ? pick(reply.answer.json, 'result') : undefined;
  if (!Array.isArray(rows)) {
    const refused = refuse(to, reply.answer);
    if (refused.is === 'broken_credential') return refused;
    return { is: 'unknown', afterMs: refused.is === 'retry' ? refused.afterMs : null, said: refused.said };
  }
  const newest = readKept(rows[0]);
  if (newest && newest.sysId !== asked.message.former?.id) return { is: 'found', reference: referenceOf(to, newest) };
  const waitMs = asked.sentAtMs + SETTLED_MS - now();
  return waitMs > 0 ? { is: 'unknown', afterMs: waitMs, said: 'Not there yet.' } : { is: 'absent' };
}

/** Work in progress is no acknowledgement: a record that we re-open is in it, and nobody has taken it yet. */
const STATES: Readonly<Record<string, ObjectState>> = { 1: 'open', 2: 'open', 3: 'open', 6: 'resolved', 7: 'resolved' };

export function createTicketA(deps: ProviderDeps): Provider {
  const calls = createCalls(deps);
  const { ask, refuse, read, write } = calls;
  const change = (verb: keyof typeof CHOICES) => {
    return async (to: Connection, message: Message, reference: Reference | null): Promise<Outcome> => {
      if (!reference) return { is: 'final', said: 'The incident at ServiceNow is not known.' };
      const before = await read(to, reference.id);
      if (!before.ok) return before.refused;
      const chosen = CHOICES[verb](message)(before.kept.state, to);
      return 'write' in chosen ? await write(to, before.kept.sysId, chosen.write) : chosen.instead;
    };
  };
  return {
    ...ABOUT,
    check: async (to) => {
      const reply = await ask(to, { url: '?sysparm_limit=1&sysparm_fields=sys_id', method: 'GET' });
      if (!reply.ok) return reply.refused;
      if (reply.answer.status === 200 && Array.isArray(pick(reply.answer.json, 'result')))
        return { is: 'sent', reference: null, said: 'The account may read incidents.' };
      return refuse(to, reply.answer);
    },
    open: (to, message) => write(to, undefined, recordOf(to, message)),
    update: change('update'),
    acknowledge: change('acknowledge'),
    resolve: change('resolve'),
    reopen: change('reopen'),
    find: (to, message, sentAtMs) => find(calls, to, { message, sentAtMs }),
    confirm: unasked.confirm,
    look: async (to, reference) => {
      const found = await read(to, reference.id);
      if (!found.ok) return found.refused.is === 'gone' ? 'gone' : 'unknown';
      return STATES[found.kept.state] ?? 'unknown';
    },
  };
}
