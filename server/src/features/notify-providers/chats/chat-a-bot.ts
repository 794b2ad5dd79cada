import type { Verb } from '@svc/contracts/notify/kinds';
import type { Connection, Finding, Message, Outcome, Reference } from '#kernel';
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
import { again, type ProviderDeps } from '../context.ts';
import { textOf } from '../domain/templates.ts';
import { blocksOf, replyOf, textForNotification } from './chat-a-blocks.ts';

/**
 * Slack's Web API with a bot token. What we post holds our key as metadata, by which it is found again after a doubtful send: the API has no key of
 * its own against doubles.
 */

const EVENT = 'svc_incident';
/** A post that was taken is in the history within this. */
const SETTLED_MS = 10_000;
/** How far back a post may be that is looked for: as long as a message is tried, and an hour. */
const BACK_MS = 25 * 3_600_000;
const MOST_PAGES = 20;

const BROKEN = new Set(
  'invalid_auth not_authed account_inactive token_revoked token_expired missing_scope no_permission org_login_required team_access_not_granted ekm_access_denied accesslimited not_allowed_token_type'.split(
    ' ',
  ),
);
const AGAIN = new Set(['rate_limited', 'ratelimited', 'team_added_to_org']);
const IN_DOUBT = new Set(['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout']);
const GONE = new Set(['message_not_found', 'thread_not_found', 'cant_update_message', 'edit_window_closed', 'is_inactive']);

/** Of a failure, Slack's word; `missing_scope` names the scope. */
const wordsOf = ({ json, text }: Answered): string | undefined => {
  const error = pickText(json, 'error') ?? (/^[\w ]{1,60}$/.test(text) ? text : undefined);
  const needed = pickText(json, 'needed');
  return needed ? `${error} (needs ${needed})` : error;
};

interface Metadata {
  key: string;
  generation: number;
  verb: Verb;
  at: number;
  state: 'open' | 'acknowledged' | 'resolved';
  /** Keys of the others that share the post, if any do. */
  together?: string[];
}

const STATES = { open: 'open', update: 'open', acknowledge: 'acknowledged', resolve: 'resolved', reopen: 'open' } as const;
const metadataOf = (message: Message, verb: Verb): { event_type: string; event_payload: Metadata } => {
  const { key, generation, at } = message;
  const together = message.together.map(({ id }) => `svc-${id}`);
  const payload = { key, generation, verb, at: at.getTime(), state: STATES[verb] };
  return { event_type: EVENT, event_payload: together.length > 0 ? { ...payload, together } : payload };
};

const QUIET = { unfurl_links: false, unfurl_media: false };

interface Place {
  channel: string;
  ts: string;
  /** Of several incidents: the post itself stays as it is, and what is told of each of them stands in the thread. */
  isShared: boolean;
}

function referenceOf(to: Connection, { channel, ts, isShared }: Place): Reference {
  const isSlack = URL.parse(to.url)?.hostname === 'slack.com';
  return {
    ...{ id: `${channel}/${ts}${isShared ? '/shared' : ''}`, label: to.settings.channel_name || null },
    url: isSlack ? `https://slack.com/app_redirect?channel=${channel}&message_ts=${ts}` : null,
  };
}

function createCalls({ outbound, now }: ProviderDeps) {
  const rawAsk = createAsk({ outbound });
  const ask = (to: Connection, { url, ...rest }: Question): Promise<Reply> => {
    const type: Record<string, string> = rest.body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' };
    return rawAsk(to, { ...rest, url: `${to.url}/${url}`, headers: { authorization: `Bearer ${to.credential}`, ...type } });
  };
  /** Most failures are 200 with `ok: false`. */
  const refuse = (to: Connection, answer: Answered, doubts = false): Refused => {
    const secrets = secretsOf(to);
    const error = pickText(answer.json, 'error');
    if (answer.status !== 200 || error === undefined) return judge(answer, { nowMs: now(), words: wordsOf, doubts, secrets });
    const said = sayOf(wordsOf(answer) ?? error, secrets);
    if (BROKEN.has(error)) return { is: 'broken_credential', said };
    if (AGAIN.has(error)) return { is: 'retry', afterMs: null, said };
    if (IN_DOUBT.has(error)) return doubts ? { is: 'ambiguous', said } : again(said);
    return GONE.has(error) ? { is: 'gone', said } : { is: 'final', said };
  };
  const write = async (
    to: Connection,
    method: 'chat.postMessage' | 'chat.update',
    { isShared = false, ...body }: { isShared?: boolean; [field: string]: unknown },
  ): Promise<Outcome> => {
    const reply = await ask(to, { url: method, body });
    if (!reply.ok) return reply.refused;
    const { status, json } = reply.answer;
    const [channel, ts] = [pickText(json, 'channel'), pickText(json, 'ts')];
    if (status !== 200 || pick(json, 'ok') !== true || channel === undefined || ts === undefined)
      return refuse(to, reply.answer, method === 'chat.postMessage');
    return { is: 'sent', reference: referenceOf(to, { channel, ts, isShared }), said: 'ok' };
  };
  return { ask, refuse, write, now };
}

type Calls = ReturnType<typeof createCalls>;
type Match = (payload: unknown) => boolean;

interface Search {
  /** `conversations.history`, or `conversations.replies` with the thread's `ts`. */
  method: string;
  query: Record<string, string>;
  match: Match;
}

/** Through the pages of a channel or thread; undefined: not there. */
async function searchPosts(
  { ask, refuse }: Calls,
  to: Connection,
  { method, query, match }: Search,
): Promise<{ ts: string | undefined; isShared: boolean } | Refused> {
  let cursor = '';
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const asked = new URLSearchParams({ ...query, limit: '200', include_all_metadata: 'true', ...(cursor ? { cursor } : {}) });
    const reply = await ask(to, { url: `${method}?${asked}`, method: 'GET' });
    if (!reply.ok) return reply.refused;
    const messages = pick(reply.answer.json, 'messages');
    if (pick(reply.answer.json, 'ok') !== true || !Array.isArray(messages)) return refuse(to, reply.answer);
    const found = messages.find(
      (one) => pick(one, 'metadata', 'event_type') === EVENT && match(pick(one, 'metadata', 'event_payload')),
    );
    const others = pick(found, 'metadata', 'event_payload', 'together');
    if (found !== undefined) return { ts: pickText(found, 'ts'), isShared: Array.isArray(others) && others.length > 0 };
    cursor = pickText(reply.answer.json, 'response_metadata', 'next_cursor') ?? '';
    if (cursor === '') return { ts: undefined, isShared: false };
  }
  return again(`Not among the last ${MOST_PAGES * 200} posts of the channel.`);
}

async function find(
  calls: Calls,
  to: Connection,
  { message, sentAtMs }: { message: Message; sentAtMs: number },
): Promise<Finding> {
  const channel = to.settings.channel ?? '';
  const query = { channel, oldest: String(Math.floor((sentAtMs - BACK_MS) / 1000)) };
  const isOf = (payload: unknown): boolean => {
    const others = pick(payload, 'together');
    return pick(payload, 'key') === message.key || (Array.isArray(others) && others.includes(message.key));
  };
  const match: Match = (payload) => isOf(payload) && pick(payload, 'generation') === message.generation;
  const found = await searchPosts(calls, to, { method: 'conversations.history', query, match });
  if ('is' in found) {
    if (found.is === 'broken_credential') return found;
    return { is: 'unknown', afterMs: found.is === 'retry' ? found.afterMs : null, said: found.said };
  }
  if (found.ts !== undefined)
    return { is: 'found', reference: referenceOf(to, { channel, ts: found.ts, isShared: found.isShared }) };
  const waitMs = sentAtMs + SETTLED_MS - calls.now();
  return waitMs > 0 ? { is: 'unknown', afterMs: waitMs, said: 'Not there yet.' } : { is: 'absent' };
}

interface InThread {
  message: Message;
  verb: Verb;
  reference: Reference | null;
}

/** Whether this very reply stands in the thread already: asked only where it may have been sent before. */
async function isThere(calls: Calls, to: Connection, { message, verb, reference }: InThread): Promise<boolean> {
  if (!message.isPossibleRepeat || to.settings.history === 'no') return false;
  const [channel = '', ts = ''] = reference?.id.split('/') ?? [];
  const match: Match = (payload) =>
    pick(payload, 'key') === message.key && pick(payload, 'verb') === verb && pick(payload, 'at') === message.at.getTime();
  const found = await searchPosts(calls, to, { method: 'conversations.replies', query: { channel, ts }, match });
  return !('is' in found) && found.ts !== undefined;
}

/** Of an incident whose post nobody knows: what is told of it next is a post of its own, under which the rest stands. */
async function postOwn(calls: Calls, to: Connection, { message, verb }: InThread): Promise<Outcome> {
  if (message.isPossibleRepeat && to.settings.history !== 'no') {
    const found = await find(calls, to, { message, sentAtMs: message.at.getTime() });
    if (found.is === 'found') return { is: 'sent', reference: found.reference, said: 'It stood in the channel already.' };
  }
  return await post(calls, to, { message, verb });
}

async function reply(calls: Calls, to: Connection, told: InThread): Promise<Outcome> {
  const { message, verb, reference } = told;
  const [channel, ts, shared] = reference?.id.split('/') ?? [];
  if (!channel || !ts) return await postOwn(calls, to, told);
  if (verb !== 'update' && !shared) {
    // The post itself shows the state; the same again changes nothing.
    const text = textForNotification(textOf(message, verb));
    const metadata = metadataOf(message, verb);
    const body = {
      channel,
      ts,
      text,
      blocks: blocksOf(message, verb),
      metadata: { ...metadata, event_payload: { ...metadata.event_payload, verb: 'open' } },
    };
    const updated = await calls.write(to, 'chat.update', body);
    // An answer that failed may have come after the post was changed.
    if (updated.is !== 'sent') return updated.is === 'retry' ? { ...updated, isBegun: true } : updated;
  }
  if (await isThere(calls, to, told)) return { is: 'sent', reference, said: 'It stood in the thread already.' };
  const metadata = metadataOf(message, verb);
  const isLoud = verb === 'reopen' ? { reply_broadcast: true } : {};
  const posted = await calls.write(to, 'chat.postMessage', {
    channel,
    thread_ts: ts,
    ...replyOf(message, verb, { isNamed: Boolean(shared) }),
    metadata,
    ...QUIET,
    ...isLoud,
  });
  if (posted.is === 'retry' && verb !== 'update' && !shared) return { ...posted, isBegun: true };
  // Its own ts is that of the reply: the reference stays that of the post.
  return posted.is === 'sent' ? { ...posted, reference } : posted;
}

async function check({ ask, refuse }: Calls, to: Connection): Promise<Outcome> {
  const auth = await ask(to, { url: 'auth.test', body: {} });
  if (!auth.ok) return auth.refused;
  if (pick(auth.answer.json, 'ok') !== true || !pickText(auth.answer.json, 'team_id')) return refuse(to, auth.answer);
  const said = sayOf(
    `Bot ${pickText(auth.answer.json, 'user') ?? ''} of ${pickText(auth.answer.json, 'team') ?? ''}`,
    secretsOf(to),
  );
  if (to.settings.history === 'no') return { is: 'sent', reference: null, said };
  const query = new URLSearchParams({ channel: to.settings.channel ?? '', limit: '1' });
  const read = await ask(to, { url: `conversations.history?${query}`, method: 'GET' });
  if (!read.ok) return read.refused;
  return pick(read.answer.json, 'ok') === true ? { is: 'sent', reference: null, said } : refuse(to, read.answer);
}

async function post(calls: Calls, to: Connection, { message, verb }: Omit<InThread, 'reference'>): Promise<Outcome> {
  const text = textForNotification(textOf(message, verb));
  const metadata = metadataOf(message, verb);
  const payload = { ...metadata, event_payload: { ...metadata.event_payload, verb: 'open' } };
  const body = { channel: to.settings.channel, text, blocks: blocksOf(message, verb), metadata: payload };
  return await calls.write(to, 'chat.postMessage', { ...body, ...QUIET, isShared: message.together.length > 0 });
}

export function createBot(deps: ProviderDeps) {
  const calls = createCalls(deps);
  return {
    check: (to: Connection): Promise<Outcome> => check(calls, to),
    open: (to: Connection, message: Message): Promise<Outcome> => post(calls, to, { message, verb: 'open' }),
    reply: (to: Connection, told: InThread): Promise<Outcome> => reply(calls, to, told),
    find: (to: Connection, message: Message, sentAtMs: number): Promise<Finding> => find(calls, to, { message, sentAtMs }),
  };
}
