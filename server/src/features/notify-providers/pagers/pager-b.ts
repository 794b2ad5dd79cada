import type { Confirmation, Connection, Finding, Message, Outcome, Provider, Reference } from '#kernel';
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
import { type About, newObjectOnly, type ProviderDeps } from '../context.ts';
import { cut, cutBefore } from '../domain/cut.ts';
import { forOpsgenie } from '../domain/escape.ts';
import { NO_SECRETS } from '../domain/hide-secrets.ts';
import { PRODUCT, plainOf, summaryOf, textOf } from '../domain/templates.ts';

/** Opsgenie's alerts by alias, and those of its successor, Jira Service Management (docs/notify/opsgenie.md). */

const FIELDS = [
  field('url', 'Address', {
    help: 'https://api.opsgenie.com, https://api.eu.opsgenie.com for an account in the EU, or https://api.atlassian.com/jsm/ops/integration for Jira Service Management.',
    ...{ fallback: 'https://api.opsgenie.com', placeholder: 'https://api.opsgenie.com' },
  }),
  field('credential', 'API key', {
    help: 'Settings > Integrations > API: its key, with the rights to create and update; with read access its alerts are also looked up.',
    ...{ is_secret: true, is_required: true },
  }),
];
const PRIORITIES = { critical: 'P1', warning: 'P3', info: 'P5' } as const;
const LIMITS = { message: 130, description: 15_000, entity: 512, note: 25_000, detail: 1000 };
/** What is done behind a 202 is done within this, or never. */
const SETTLED_MS = 120_000;
const ASK_AGAIN_MS = 2000;

const wordsOf = ({ json, status }: Answered): string | undefined =>
  pickText(json, 'message') ?? (status === 402 ? 'the plan of this account does not have it' : undefined);

function alertOf(message: Message): Record<string, unknown> {
  const { incident, key } = message;
  const { before, title, after } = summaryOf(message);
  const text = textOf(message, 'open');
  const room = LIMITS.message - [...before, ...after].length;
  const end = `\n\n${text.link.label}: ${text.link.url}`;
  return {
    message: `${before}${cut(title, room)}${after}`,
    alias: key,
    description: cutBefore(forOpsgenie(plainOf(text)), end, { most: LIMITS.description }),
    priority: PRIORITIES[incident.severity],
    source: PRODUCT,
    ...(incident.target ? { entity: cut(incident.target, LIMITS.entity) } : {}),
    tags: ['svc', ...incident.planes],
    details: Object.fromEntries([
      ...text.facts.map(([name, value]) => [name, cut(value, LIMITS.detail)]),
      ['Incident', incident.url],
    ]),
  };
}

/** Its own 404, and not that of an address that leads elsewhere. */
const isNone = (status: number, json: unknown): boolean => status === 404 && pickText(json, 'requestId') !== undefined;

const VERB_OF = { close: 'resolve', acknowledge: 'acknowledge', notes: 'update' } as const;

/** What is kept of a request: which, of what, and since when its fate is known. */
const requestOf = (id: string, verb: string, at: Date): string => `${id} ${verb} ${at.getTime()}`;

function readStatus(json: unknown, request: { verb: string; sinceMs: number; nowMs: number }): Confirmation {
  const status = pickText(json, 'data', 'status') ?? '';
  const alias = pickText(json, 'data', 'alias');
  const done = pick(json, 'data', 'isSuccess') === true || pick(json, 'data', 'success') === true;
  if (done)
    return {
      is: 'confirmed',
      reference: alias === undefined ? null : { id: alias, label: null, url: null },
      said: sayOf(status, NO_SECRETS),
    };
  const isMissing = /not exist|not found|already closed|closed alert/i.test(status);
  if (request.verb === 'create' || !isMissing)
    return { is: 'failed', isFinal: request.verb === 'create', said: sayOf(status, NO_SECRETS) };
  // A close that overtook its create fails in the same words as one of an alert that a person has closed: only time tells them apart.
  const isSettled = request.nowMs - request.sinceMs > SETTLED_MS;
  return isSettled
    ? { is: 'confirmed', reference: null, said: sayOf(`${status}: nothing was open any more`, NO_SECRETS) }
    : { is: 'failed', isFinal: false, said: sayOf(status, NO_SECRETS) };
}

const ABOUT: About = {
  ...{ kind: 'pager_b', name: 'Opsgenie', fields: FIELDS },
  testWarning: 'A test opens an alert and closes it: whoever is on call for that integration may be paged.',
  capabilities: () => ({
    ...{ hasKey: true, canBeFound: true, canUpdate: true, canAcknowledge: true, canResolve: true },
    ...{ reopens: 'new', confirms: true, canLook: true },
  }),
  pace: () => ({ perMinute: 120, concurrency: 4, burst: 20, gathers: 1 }),
  parse: (given) => {
    const { to, faults } = readConnection(given, { fields: FIELDS });
    faults.throwAny();
    return { ...to, url: to.url.replace(/\/v2(\/alerts)?$/, '') };
  },
};

function createCalls({ outbound, now }: ProviderDeps) {
  const rawAsk = createAsk({ outbound });
  const ask = (to: Connection, { url, ...question }: Question): Promise<Reply> =>
    rawAsk(to, { ...question, url: `${to.url}/v2/alerts${url}`, headers: { authorization: `GenieKey ${to.credential}` } });
  const refuse = (to: Connection, answer: Answered, doubts = false): Refused =>
    judge(answer, { nowMs: now(), words: wordsOf, doubts, secrets: secretsOf(to) });
  const ofAlias = (key: string, action = ''): string => `/${encodeURIComponent(key)}${action}?identifierType=alias`;
  const send = async (
    to: Connection,
    message: Message,
    wish: { path: string; body: unknown; verb: string },
  ): Promise<Outcome> => {
    const reply = await ask(to, { url: wish.path, body: wish.body });
    if (!reply.ok) return reply.refused;
    const { answer } = reply;
    const id = pickText(answer.json, 'requestId');
    if (answer.status !== 202 || id === undefined) return refuse(to, answer, true);
    const reference: Reference = { id: message.key, label: null, url: null };
    const said = sayOf(pickText(answer.json, 'result') ?? '202', secretsOf(to));
    return { is: 'accepted', reference, request: requestOf(id, wish.verb, message.at), said };
  };
  const act = (to: Connection, message: Message, action: keyof typeof VERB_OF): Promise<Outcome> => {
    const { notes, headline, link } = textOf(message, VERB_OF[action]);
    const note = cutBefore(forOpsgenie([headline, ...notes].join('\n')), `\n${link.url}`, { most: LIMITS.note });
    return send(to, message, { path: ofAlias(message.key, `/${action}`), body: { note, source: PRODUCT }, verb: action });
  };
  const read = (to: Connection, key: string): Promise<Reply> => ask(to, { url: ofAlias(key), method: 'GET' });
  return { ask, refuse, send, act, read, now };
}

type Calls = ReturnType<typeof createCalls>;

async function find(
  { read, refuse, now }: Calls,
  to: Connection,
  asked: { message: Message; sentAtMs: number },
): Promise<Finding> {
  const reply = await read(to, asked.message.key);
  if (!reply.ok) return { is: 'unknown', afterMs: null, said: reply.refused.said };
  const { status, json } = reply.answer;
  const state = pickText(json, 'data', 'status');
  if (state === 'open') {
    const tiny = pickText(json, 'data', 'tinyId');
    return { is: 'found', reference: { id: asked.message.key, label: tiny === undefined ? null : `#${tiny}`, url: null } };
  }
  if (isNone(status, json) || state === 'closed') {
    const waitMs = asked.sentAtMs + SETTLED_MS - now();
    return waitMs > 0 ? { is: 'unknown', afterMs: waitMs, said: 'Not there yet.' } : { is: 'absent' };
  }
  const refused = refuse(to, reply.answer);
  if (refused.is === 'broken_credential') return refused;
  return { is: 'unknown', afterMs: refused.is === 'retry' ? refused.afterMs : null, said: refused.said };
}

async function confirm({ ask, refuse, now }: Calls, to: Connection, request: string): Promise<Confirmation> {
  const [id = '', verb = '', sinceMs = '0'] = request.split(' ');
  const reply = await ask(to, { url: `/requests/${encodeURIComponent(id)}`, method: 'GET' });
  if (!reply.ok) return { is: 'pending', afterMs: null };
  const { status, json } = reply.answer;
  if (status === 200 && pick(json, 'data') !== undefined)
    return readStatus(json, { verb, sinceMs: Number(sinceMs), nowMs: now() });
  if (isNone(status, json)) return { is: 'pending', afterMs: ASK_AGAIN_MS };
  const refused = refuse(to, reply.answer);
  return { is: 'pending', afterMs: refused.is === 'retry' ? refused.afterMs : null };
}

export function createPagerB(deps: ProviderDeps): Provider {
  const calls = createCalls(deps);
  const { ask, send, act, read, refuse } = calls;
  return {
    ...ABOUT,
    // The status of a request that nobody made: whoever is told that there is none has a key that is taken here.
    check: async (to) => {
      const reply = await ask(to, { url: '/requests/00000000-0000-0000-0000-000000000000', method: 'GET' });
      if (!reply.ok) return reply.refused;
      const { status, json } = reply.answer;
      const isTaken = isNone(status, json) || (status === 200 && pick(json, 'data') !== undefined);
      return isTaken ? { is: 'sent', reference: null, said: 'The key is taken.' } : refuse(to, reply.answer);
    },
    open: (to, message) => send(to, message, { path: '', body: alertOf(message), verb: 'create' }),
    update: (to, message) => act(to, message, 'notes'),
    acknowledge: (to, message) => act(to, message, 'acknowledge'),
    resolve: (to, message) => act(to, message, 'close'),
    reopen: newObjectOnly,
    find: (to, message, sentAtMs) => find(calls, to, { message, sentAtMs }),
    confirm: (to, request) => confirm(calls, to, request),
    look: async (to, reference) => {
      const reply = await read(to, reference.id);
      if (!reply.ok) return 'unknown';
      const { status, json } = reply.answer;
      if (isNone(status, json)) return 'gone';
      const state = pickText(json, 'data', 'status');
      if (state === 'closed') return 'resolved';
      if (state !== 'open') return 'unknown';
      return pick(json, 'data', 'acknowledged') === true ? 'acknowledged' : 'open';
    },
  };
}
