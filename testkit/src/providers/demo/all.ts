import { randomBytes } from 'node:crypto';
import { startAlerts } from '../alerts.ts';
import type { CallBackTarget } from '../call-back.ts';
import { startEventsV2 } from '../events-v2.ts';
import { createChance, failShare } from '../faults.ts';
import { startReceiver } from '../hook-receiver.ts';
import { startJira } from '../jira.ts';
import type { SimulatedProvider } from '../kept.ts';
import type { ServerOptions } from '../server.ts';
import { startSlack } from '../slack.ts';
import { startTableApi } from '../table-api.ts';
import { startTeams } from '../teams.ts';

/** All of them at once, as the demo shows them. */

export const KINDS = ['pager_a', 'pager_b', 'chat_a', 'chat_b', 'ticket_a', 'ticket_b', 'webhook'] as const;
export type Kind = (typeof KINDS)[number];
/** Those that tell of what people do there. */
export const TALKING = ['pager_a', 'pager_b', 'ticket_a', 'ticket_b'] as const;

export const NAMES: Readonly<Record<Kind, string>> = {
  ...{ pager_a: 'PagerDuty', pager_b: 'Opsgenie', chat_a: 'Slack', chat_b: 'Microsoft Teams', ticket_a: 'ServiceNow' },
  ...{ ticket_b: 'Jira', webhook: 'Signed webhook' },
};

/** What a person would paste into the form. */
export interface Connector {
  provider: Kind;
  name: string;
  values: Record<string, string>;
  /** It tells of what people do there. */
  callsBack: boolean;
}

export interface Credentials {
  routingKey: string;
  restKey: string;
  apiKey: string;
  botToken: string;
  sig: string;
  password: string;
  token: string;
  secret: string;
  /** Of the way back. */
  callBackSecret: string;
}

export const newCredentials = (): Credentials => ({
  routingKey: randomBytes(16).toString('hex'),
  restKey: randomBytes(10).toString('hex'),
  apiKey: randomBytes(16).toString('hex'),
  botToken: `xoxb-${randomBytes(12).toString('hex')}`,
  sig: randomBytes(24).toString('base64url'),
  password: randomBytes(12).toString('hex'),
  token: randomBytes(16).toString('hex'),
  secret: `whsec_${randomBytes(32).toString('base64')}`,
  callBackSecret: randomBytes(24).toString('base64url'),
});

export type Running = Record<Kind, SimulatedProvider>;

interface Wanted {
  tls: ServerOptions['tls'];
  ports: Partial<Record<string, number>>;
  credentials: Credentials;
  callBackOf: (kind: Kind) => CallBackTarget | undefined;
}

const CHANNEL = { id: 'C0123456789', name: 'network' };
const USER = 'svc.integration';
const BOT = 'network-bot@example.com';

export async function startAllProviders({
  tls,
  ports,
  credentials,
  callBackOf,
}: Wanted): Promise<{ running: Running; connectors: Connector[] }> {
  const at = (kind: Kind) => ({ tls, host: 'localhost', port: ports[kind] ?? 0, callBack: () => callBackOf(kind) });
  const { routingKey, restKey, apiKey, botToken, sig, password, token, secret } = credentials;
  const teams = await startTeams({ ...at('chat_b'), sig });
  const running: Running = {
    pager_a: await startEventsV2({ ...at('pager_a'), routingKey, restKey }),
    pager_b: await startAlerts({ ...at('pager_b'), apiKey, lagMs: 300 }),
    chat_a: await startSlack({ ...at('chat_a'), botToken, channel: CHANNEL }),
    chat_b: teams,
    ticket_a: await startTableApi({ ...at('ticket_a'), user: USER, password }),
    ticket_b: await startJira({ ...at('ticket_b'), credential: `${BOT}:${token}`, project: { key: 'OPS' }, indexLagMs: 2000 }),
    webhook: await startReceiver({ ...at('webhook'), secret }),
  };
  const { pager_a, pager_b, chat_a, ticket_a, ticket_b, webhook } = running;
  const toConnector = (provider: Kind): Connector => ({
    ...{ provider, name: `${NAMES[provider]} (simulated)`, values: values[provider] },
    callsBack: (TALKING as readonly string[]).includes(provider),
  });
  const values: Record<Kind, Record<string, string>> = {
    pager_a: { url: pager_a.origin, credential: routingKey, rest_key: restKey, rest_url: pager_a.origin },
    pager_b: { url: pager_b.origin, credential: apiKey },
    chat_a: { url: `${chat_a.origin}/api`, credential: botToken, channel: CHANNEL.id, channel_name: `#${CHANNEL.name}` },
    chat_b: { credential: teams.url },
    ticket_a: { url: ticket_a.origin, credential: `${USER}:${password}` },
    ticket_b: { url: ticket_b.origin, credential: `${BOT}:${token}`, project: 'OPS', resolve_transition: 'auto' },
    webhook: { url: `${webhook.origin}/incidents`, credential: secret },
  };
  return {
    running,
    connectors: KINDS.map(toConnector),
  };
}

export const MOODS = ['well', 'failing', 'away'] as const;
export type Mood = (typeof MOODS)[number];

/** A third of all calls fails in one of several ways, or all do. */
export function setMood({ faults }: SimulatedProvider, mood: Mood): void {
  const some = failShare(
    1 / 3,
    [{ kind: 'answer', status: 500 }, { kind: 'cut' }, { kind: 'answer', status: 429, headers: { 'retry-after': '5' } }],
    createChance(7),
  );
  faults.plan(mood === 'well' ? undefined : mood === 'failing' ? some : () => ({ kind: 'answer', status: 503 }));
}
