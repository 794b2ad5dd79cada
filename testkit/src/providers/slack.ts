import { checkOf } from './contract.ts';
import type { KeptObject, SimulatedProvider } from './kept.ts';
import { type Answer, type Call, type ServerOptions, startServer } from './server.ts';
import { createWindow } from './window.ts';

/**
 * Slack: chat.postMessage, chat.update, conversations.history and conversations.replies with a bot token, and an incoming webhook. The Web API
 * answers 200 with `ok: false`; nothing is deduplicated.
 */
export interface SlackOptions extends ServerOptions {
  botToken: string;
  /** The bot is a member of this one alone. */
  channel: { id: string; name: string };
  /** Path below /services of the incoming webhook. */
  webhook?: string;
  /** Of the token: without `history` the look-up is refused. */
  scopes?: readonly ('post' | 'history')[];
  perMinute?: number;
  /** Messages a page of history. */
  pageSize?: number;
}

interface Block {
  type: string;
  text?: { type: string; text: string };
  fields?: { type: string; text: string }[];
  elements?: { type: string; text?: string | { text: string }; url?: string }[];
}

interface Post {
  channel?: string;
  text?: string;
  blocks?: Block[];
  thread_ts?: string;
  ts?: string;
  metadata?: { event_type: string; event_payload: Record<string, unknown> };
}

interface Kept {
  ts: string;
  thread: string | undefined;
  post: Post;
  edits: number;
}

const answered = checkOf('slack', 'web-api-chat-subset.swagger.json', '/definitions/defs_ts');
const length = (text: string | undefined): number => [...(text ?? '')].length;

/** What Block Kit forbids; each is a refusal of the whole message. */
function checkBlocks({ text, blocks = [] }: Post): string[] {
  const faults: string[] = [];
  const fail = (isSo: boolean, words: string): void => void (isSo && faults.push(words));
  fail(length(text) === 0, 'no_text: with blocks the text is what notifications and screen readers get');
  fail(length(text) > 4000, 'text is longer than 4,000');
  fail(blocks.length > 50, 'more than 50 blocks');
  fail(length(JSON.stringify(blocks)) > 13_000, 'msg_blocks_too_long');
  for (const block of blocks) {
    if (block.type === 'header') {
      fail(block.text?.type !== 'plain_text', 'a header is plain text');
      fail(length(block.text?.text) > 150, 'a header is longer than 150');
    } else if (block.type === 'section') {
      fail(length(block.text?.text) > 3000, 'a section is longer than 3,000');
      fail((block.fields?.length ?? 0) > 10, 'a section has more than ten fields');
      for (const field of block.fields ?? []) fail(length(field.text) > 2000, 'a field is longer than 2,000');
    } else if (block.type === 'context') fail((block.elements?.length ?? 0) > 10, 'a context has more than ten elements');
    else if (block.type !== 'actions' && block.type !== 'divider') faults.push(`${block.type} is no block that we know`);
  }
  return faults;
}

/** Pings of everybody or of somebody: text of ours holds none unless a stranger smuggled it in. */
const checkMentions = (call: Call): string[] => (/<[!@#][^>]*>/.test(call.text) ? ['a mention would ping people'] : []);

/** All text of a message, as a person reads it. */
const readable = ({ text, blocks = [] }: Post): string =>
  [text, ...blocks.flatMap(({ text: own, fields = [] }) => [own?.text, ...fields.map((one) => one.text)])]
    .filter(Boolean)
    .join('\n');

const refuse = (error: string): Answer => ({ status: 200, body: { ok: false, error } });

interface Methods {
  kept: Kept[];
  nextTs(): string;
  options: SlackOptions;
}

function postMessage({ kept, nextTs, options }: Methods, post: Post): Answer {
  const { channel } = options;
  if (post.channel !== channel.id && post.channel?.replace(/^#/, '') !== channel.name) return refuse('channel_not_found');
  if (post.thread_ts !== undefined && !kept.some(({ ts }) => ts === post.thread_ts)) return refuse('thread_not_found');
  const ts = nextTs();
  kept.push({ ts, thread: post.thread_ts, post, edits: 0 });
  return { status: 200, body: { ok: true, channel: channel.id, ts, message: { type: 'message', text: post.text, ts } } };
}

function update({ kept, options }: Methods, post: Post): Answer {
  if (post.channel !== options.channel.id) return refuse('channel_not_found');
  const one = kept.find(({ ts }) => ts === post.ts);
  if (!one) return refuse('message_not_found');
  one.post = { ...one.post, ...post };
  one.edits += 1;
  return { status: 200, body: { ok: true, channel: options.channel.id, ts: one.ts, text: post.text } };
}

function history({ kept, options }: Methods, { query }: Call, thread: string | undefined): Answer {
  if (!(options.scopes ?? ['post', 'history']).includes('history')) return refuse('missing_scope');
  if (query.get('channel') !== options.channel.id) return refuse('channel_not_found');
  const oldest = Number(query.get('oldest') ?? 0);
  const found = kept.filter((one) =>
    thread === undefined ? one.thread === undefined : one.thread === thread || one.ts === thread,
  );
  const newest = found.filter(({ ts }) => Number(ts) >= oldest).toReversed();
  const from = Number(query.get('cursor') || 0);
  const size = Math.min(Number(query.get('limit') ?? 100), options.pageSize ?? 200);
  const page = newest.slice(from, from + size).map(({ ts, post }) => ({
    ...{ type: 'message', ts, text: post.text },
    ...(query.get('include_all_metadata') === 'true' && post.metadata ? { metadata: post.metadata } : {}),
  }));
  const more = from + size < newest.length;
  return {
    status: 200,
    body: { ok: true, messages: page, has_more: more, response_metadata: { next_cursor: more ? String(from + size) : '' } },
  };
}

function callMethod(methods: Methods, call: Call, breach: (words: string) => void): Answer {
  const { options } = methods;
  const given = /^Bearer (.+)$/.exec(call.headers.authorization ?? '')?.[1];
  if (given === undefined) return refuse('not_authed');
  if (given !== options.botToken) return refuse(given.startsWith('xoxb-') ? 'invalid_auth' : 'not_authed');
  const name = call.path.slice('/api/'.length);
  if (name === 'auth.test') {
    const body = {
      ok: true,
      url: 'https://sim.slack.com/',
      team: 'Simulated',
      user: 'svc',
      team_id: 'T1',
      user_id: 'U1',
      bot_id: 'B1',
    };
    return { status: 200, body };
  }
  if (name === 'conversations.history') return history(methods, call, undefined);
  if (name === 'conversations.replies') return history(methods, call, call.query.get('ts') ?? '');
  if (name !== 'chat.postMessage' && name !== 'chat.update') {
    breach('no such method');
    return refuse('unknown_method');
  }
  if (!/^application\/json; *charset=utf-8$/i.test(call.headers['content-type'] ?? '')) breach('JSON is sent with its charset');
  const post = (call.json ?? {}) as Post;
  const faults = [...checkBlocks(post), ...checkMentions(call)];
  for (const fault of faults) breach(fault);
  if (faults.length > 0) return refuse('invalid_blocks');
  return name === 'chat.postMessage' ? postMessage(methods, post) : update(methods, post);
}

interface Payload {
  key?: string;
  state?: KeptObject['state'];
  together?: string[];
}

const payloadOf = ({ post }: Kept): Payload => post.metadata?.event_payload ?? {};

/** Threads and posts as objects: a reply belongs to its parent. A post of several incidents is an object of each, whose state its thread tells. */
function toObjects(kept: readonly Kept[]): KeptObject[] {
  const posts = kept.filter(({ thread }) => thread === undefined);
  return posts.flatMap((one) => {
    const { ts, post } = one;
    const { key: first = '', state = 'open', together = [] } = payloadOf(one);
    const [title = ''] = (post.text ?? '').split('\n');
    return [...new Set([first, ...together])].map((key) => {
      const replies = kept.filter((reply) => reply.thread === ts && (together.length === 0 || payloadOf(reply).key === key));
      const told = together.length > 0 ? replies.map(payloadOf).findLast((reply) => reply.state)?.state : undefined;
      const own = { id: ts, name: ts, key, state: told ?? state, title, text: readable(post) };
      return { ...own, lines: replies.map((reply) => readable(reply.post)), atMs: Number(ts) * 1000 };
    });
  });
}

export async function startSlack(options: SlackOptions): Promise<SimulatedProvider & { webhookPath: string }> {
  const kept: Kept[] = [];
  const window = createWindow({ most: options.perMinute ?? 60, ms: 60_000 });
  const now = options.now ?? Date.now;
  const nextTs = (): string => `${Math.floor(now() / 1000)}.${String(kept.length + 1).padStart(6, '0')}`;
  const webhookPath = `/services/${options.webhook ?? 'T000/B000/simulated'}`;
  const limit = (call: Call): Answer | undefined => {
    const waitMs = window.take(call.atMs);
    if (waitMs === undefined) return undefined;
    return {
      status: 429,
      headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) },
      body: { ok: false, error: 'rate_limited' },
    };
  };
  const takeWebhook = (call: Call, breach: (words: string) => void): Answer => {
    if (call.path !== webhookPath) return { status: 404, body: 'no_service' };
    const post = call.json as Post | undefined;
    if (!post || typeof post !== 'object') return { status: 400, body: 'invalid_payload' };
    // By this a webhook is asked whether it is there.
    if (Object.keys(post).length === 0) return { status: 400, body: 'no_text' };
    const faults = [...checkBlocks(post), ...checkMentions(call)];
    for (const fault of faults) breach(fault);
    if (faults.length > 0) return { status: 400, body: 'invalid_blocks' };
    kept.push({ ts: nextTs(), thread: undefined, post: { ...post, metadata: undefined as never }, edits: 0 });
    return { status: 200, body: 'ok' };
  };
  const server = await startServer(options, (call, breach) => {
    const isWrite = call.path.startsWith('/services/') || call.path === '/api/chat.postMessage';
    const limited = isWrite ? limit(call) : undefined;
    if (limited) return limited;
    if (call.path.startsWith('/services/')) return takeWebhook(call, breach);
    const answer = callMethod({ kept, nextTs, options }, call, breach);
    const { ts } = (answer.body ?? {}) as { ts?: string };
    if (ts !== undefined && answered(ts).length > 0) breach('this simulation made a ts that Slack never makes');
    return answer;
  });
  return { ...server, objects: () => toObjects(kept), act: async () => undefined, webhookPath };
}
