import { checkCards } from './contract.ts';
import type { KeptObject, SimulatedProvider } from './kept.ts';
import { type Answer, type Call, type ServerOptions, startServer } from './server.ts';
import { createWindows } from './window.ts';

/**
 * Microsoft Teams: a workflow's webhook. The query of its URL is part of it, `sig` is the credential. It answers 202 at once and runs the flow
 * afterwards: a card that is wrong is lost there, and nobody is told, so every such card is a breach here.
 */
export interface TeamsOptions extends ServerOptions {
  sig: string;
  limits?: readonly { most: number; ms: number }[];
}

interface Element {
  type: string;
  text?: string;
  facts?: { title: string; value: string }[];
  items?: Element[];
  columns?: Element[];
}

const MAX_BYTES = 28 * 1024;
const PATH = '/powerautomate/automations/direct/workflows/0123456789abcdef/triggers/manual/paths/invoke';
const LIMITS = [
  { most: 4, ms: 1000 },
  { most: 60, ms: 30_000 },
  { most: 100, ms: 3_600_000 },
];

const readable = (one: Element): string[] => [
  ...(one.text === undefined ? [] : [one.text]),
  ...(one.facts ?? []).map(({ title, value }) => `${title}: ${value}`),
  ...[...(one.items ?? []), ...(one.columns ?? [])].flatMap(readable),
];

export async function startTeams(options: TeamsOptions): Promise<SimulatedProvider & { url: string }> {
  const posts: KeptObject[] = [];
  const { envelope, card } = checkCards();
  const windows = createWindows(options.limits ?? LIMITS);
  const findFaults = (call: Call): string[] => {
    const faults = envelope(call.json);
    if (faults.length > 0) return faults;
    const { attachments } = call.json as { attachments: { content: unknown }[] };
    const size = Buffer.byteLength(call.text) > MAX_BYTES ? ['the message is larger than 28 KB'] : [];
    return [...size, ...attachments.flatMap(({ content }) => card(content))];
  };
  const post = (call: Call): void => {
    const { attachments } = call.json as { attachments: { content: { body: Element[]; actions?: unknown } }[] };
    const lines = attachments.flatMap(({ content }) => content.body.flatMap(readable));
    const text = `${lines.join('\n')}\n${JSON.stringify(attachments.map(({ content }) => content.actions ?? []))}`;
    const id = String(posts.length + 1);
    posts.push({ id, name: `post ${id}`, key: '', state: 'open', title: lines[0] ?? '', text, lines: [], atMs: call.atMs });
  };
  const server = await startServer(options, (call, breach): Answer => {
    if (call.path !== PATH)
      return { status: 404, body: { error: { code: 'WorkflowNotFound', message: 'The workflow could not be found.' } } };
    if (!call.query.has('api-version'))
      return {
        status: 400,
        body: { error: { code: 'MissingApiVersionParameter', message: 'The api-version query parameter is required.' } },
      };
    if (call.query.get('sig') !== options.sig)
      return { status: 401, body: { error: { code: 'DirectApiAuthorizationRequired', message: 'The signature is not valid.' } } };
    const extra = [...call.query.keys()].filter((name) => !['api-version', 'sp', 'sv', 'sig'].includes(name));
    if (extra.length > 0) breach(`the query has ${extra.join(', ')}, which is not of the workflow`);
    const waitMs = windows.take(call.atMs);
    if (waitMs !== undefined)
      return { status: 429, headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) }, body: 'throttled' };
    if (call.json === undefined) return { status: 400, body: { error: { code: 'InvalidRequestContent' } } };
    const faults = findFaults(call);
    for (const fault of faults) breach(`the flow failed: ${fault}`);
    if (faults.length === 0) post(call);
    return { status: 202 };
  });
  const query = new URLSearchParams({ 'api-version': '1', sp: '/triggers/manual/run', sv: '1.0', sig: options.sig });
  return { ...server, objects: () => posts, act: async () => undefined, url: `${server.origin}${PATH}?${query}` };
}
