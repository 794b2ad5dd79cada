import { startAlerts } from '@svc/testkit/providers/alerts';
import { startEventsV2 } from '@svc/testkit/providers/events-v2';
import { startReceiver } from '@svc/testkit/providers/hook-receiver';
import { startJira } from '@svc/testkit/providers/jira';
import type { KeptObject, SimulatedProvider } from '@svc/testkit/providers/kept';
import { startSlack } from '@svc/testkit/providers/slack';
import { startTableApi } from '@svc/testkit/providers/table-api';
import { startTeams } from '@svc/testkit/providers/teams';
import { createRootCa, createServerLeaf } from '#crypto';
import type { Connection, Message, Provider, Providers, ToldIncident } from '#kernel';
import { createOutbound, type Outbound } from '#outbound';
import { createProviders } from './index.ts';

/** All providers as simulated servers on loopback, and the product's own way to them. */

export const HOST = 'provider.test';

export interface Authority {
  ca: string;
  /** Of the name that callers use. */
  leaf: { cert: string; key: string };
  /** Of another name. */
  otherLeaf: { cert: string; key: string };
}

export async function makeAuthority(): Promise<Authority> {
  const root = await createRootCa({ commonName: 'provider test' });
  const leafOf = async (host: string) => {
    const { certPem, keyPem } = await createServerLeaf(root, { hosts: [host] });
    return { cert: certPem, key: keyPem };
  };
  return { ca: root.certPem, leaf: await leafOf(HOST), otherLeaf: await leafOf('other.test') };
}

/** With short limits: a provider that hangs is given up in a moment. */
export function openOutbound(ca: string, logged: unknown[] = []): Outbound {
  const outbound = createOutbound({
    ...{ allow: ['127.0.0.0/8:1-65535'], ca, log: { debug: (entry: unknown) => void logged.push(entry) } },
    lookUp: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  const limit = 1500;
  return {
    ...outbound,
    send: (request) => outbound.send({ ...request, timeoutMs: limit }),
    connect: (request) => outbound.connect({ ...request, timeoutMs: limit }),
  };
}

export const INCIDENT: ToldIncident = {
  ...{ id: '019ac001-0000-7000-8000-000000000094', number: 94, status: 'open', severity: 'critical' },
  ...{
    title: 'checkout.shop.example does not answer',
    target: 'https://checkout.shop.example/health',
    prefix: '198.51.100.0/24',
  },
  ...{ site: 'Oslo', planes: ['tests', 'rum'], startedAt: new Date('2026-11-26T13:58:00Z'), resolvedAt: null, signalCount: 3 },
  url: 'https://observe.example/t/acme/incidents/94',
};

export const messageOf = (more: Partial<Message> = {}, incident: Partial<ToldIncident> = {}): Message => ({
  ...{ key: 'svc-019ac001-0000-7000-8000-000000000094', isTest: false, words: '', at: new Date('2026-11-26T14:03:00Z') },
  ...{ generation: 1, former: null, isPossibleRepeat: false, together: [] },
  incident: { ...INCIDENT, ...incident },
  ...more,
});

export interface Simulated {
  provider: Provider;
  sim: SimulatedProvider;
  to: Connection;
  /** Every secret of `to`. */
  secrets: string[];
  /** What the outbound client logged. */
  logged: unknown[];
}

export const SECRETS = {
  routing: 'R0UT1NGKEY0123456789ABCDEF012345',
  genie: '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0',
  bot: 'xoxb-0000-1111-planted',
  sig: 'PlantedSignature0123456789abcdefghijklmnopq',
  password: 'planted-password',
  token: 'ATATTplantedtoken',
  webhook: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
};

const given = (url: string, credential: string, settings: Record<string, string> = {}): Connection => ({
  url,
  credential,
  settings,
});

export type SimulatedKind = 'pager_a' | 'pager_b' | 'chat_a' | 'chat_b' | 'ticket_a' | 'ticket_b' | 'webhook';

interface Wish {
  /** That of another name. */
  tls?: Authority['leaf'];
  /** A clock of both sides. */
  now?: () => number;
}

/** Starts what one kind of provider needs. */
export async function simulate(kind: SimulatedKind, { ca, leaf }: Authority, wish: Wish = {}): Promise<Simulated> {
  const logged: unknown[] = [];
  const providers: Providers = createProviders({ outbound: openOutbound(ca, logged), now: wish.now ?? Date.now });
  const options = { tls: leaf, host: HOST, ...wish };
  const of = (sim: SimulatedProvider, to: Connection): Simulated => ({
    ...{
      provider: providers[kind],
      sim,
      to: providers[kind].parse(to),
      secrets: [to.credential, ...Object.values(SECRETS)],
      logged,
    },
  });
  switch (kind) {
    case 'pager_a': {
      const sim = await startEventsV2({ ...options, routingKey: SECRETS.routing });
      return of(sim, given(sim.origin, SECRETS.routing));
    }
    case 'pager_b': {
      const sim = await startAlerts({ ...options, apiKey: SECRETS.genie, basePath: '/jsm/ops/integration' });
      return of(sim, given(`${sim.origin}/jsm/ops/integration`, SECRETS.genie));
    }
    case 'chat_a': {
      const sim = await startSlack({ ...options, botToken: SECRETS.bot, channel: { id: 'C0123456789', name: 'network' } });
      return of(sim, given(`${sim.origin}/api?channel=C0123456789&channel_name=%23network`, SECRETS.bot));
    }
    case 'chat_b': {
      const sim = await startTeams({ ...options, sig: SECRETS.sig, limits: [{ most: 1000, ms: 1000 }] });
      return of(sim, given(sim.url, ''));
    }
    case 'ticket_a': {
      const sim = await startTableApi({ ...options, user: 'svc', password: SECRETS.password });
      return of(sim, given(sim.origin, `svc:${SECRETS.password}`));
    }
    case 'ticket_b': {
      const sim = await startJira({ ...options, credential: `bot@example.com:${SECRETS.token}`, project: { key: 'OPS' } });
      return of(sim, given(`${sim.origin}?project=OPS`, `bot@example.com:${SECRETS.token}`));
    }
    default: {
      const sim = await startReceiver({ ...options, secret: SECRETS.webhook });
      return of(sim, given(`${sim.origin}/incidents?source=nos`, SECRETS.webhook));
    }
  }
}

export const only = (sim: SimulatedProvider): KeptObject => {
  const objects = sim.objects();
  if (objects.length !== 1 || !objects[0]) throw new Error(`${objects.length} objects: ${JSON.stringify(objects)}`);
  return objects[0];
};
