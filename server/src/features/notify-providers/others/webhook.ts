import type { Verb } from '@svc/contracts/notify/kinds';
import { INCIDENT_EVENT_TYPES, type IncidentEvent } from '@svc/contracts/notify/webhook';
import { hmacSha256 } from '#crypto';
import type { Connection, Message, Outcome, Provider, ToldIncident } from '#kernel';
import { type Answered, createAsk, judge, reach, sayOf, secretsOf } from '../calls/ask.ts';
import { field, readConnection } from '../calls/connection.ts';
import { type About, type ProviderDeps, unasked } from '../context.ts';

/** A webhook of the tenant's own, signed as Standard Webhooks has it (docs/notify/webhook.md), so that receivers need no code of ours. */

const FIELDS = [
  field('url', 'Address', {
    help: 'Where events are posted to. A query stays as it is; its values are not shown again.',
    ...{ is_required: true, placeholder: 'https://example.com/incidents' },
  }),
  field('credential', 'Signing secret', {
    help: 'whsec_ and base64 of 24 to 64 bytes, or any text of 16 characters or more. Receivers check webhook-signature with it.',
    ...{ is_secret: true, is_required: true, placeholder: 'whsec_...' },
  }),
];
const PREFIX = 'whsec_';
const isSigningSecret = (secret: string): boolean => {
  if (!secret.startsWith(PREFIX)) return secret.length >= 16;
  const bytes = Buffer.from(secret.slice(PREFIX.length), 'base64').length;
  return /^[A-Za-z0-9+/]+={0,2}$/.test(secret.slice(PREFIX.length)) && bytes >= 24 && bytes <= 64;
};
const keyOf = (secret: string): Buffer =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret);

const ABOUT: About = {
  ...{ kind: 'webhook', name: 'Signed webhook', fields: FIELDS, testWarning: '' },
  capabilities: () => ({
    // A receiver may know a repeat by its webhook-id, which is the same on each attempt; nothing says that it does.
    ...{ hasKey: false, canBeFound: false, canUpdate: true, canAcknowledge: true, canResolve: true },
    ...{ reopens: 'same', confirms: false, canLook: false },
  }),
  pace: () => ({ perMinute: 300, concurrency: 4, burst: 50, gathers: 1 }),
  parse: (given) => {
    const { to, faults } = readConnection(given, { fields: FIELDS, keepsQuery: true });
    if (to.credential && !isSigningSecret(to.credential))
      faults.add('credential', 'The secret is whsec_ with base64 of 24 to 64 bytes, or text of 16 characters or more.');
    faults.throwAny();
    return to;
  },
};

function describe(incident: ToldIncident): IncidentEvent['incident'] {
  const { id, number, status, severity, title, target, prefix, site, planes, signalCount, url } = incident;
  return {
    ...{ id, number, status, severity, title, target, prefix, site, planes: [...planes], signal_count: signalCount, url },
    ...{ started_at: incident.startedAt.toISOString(), resolved_at: incident.resolvedAt?.toISOString() ?? null },
  };
}

export function eventOf(message: Message, verb: Verb): IncidentEvent {
  const { key, incident, isTest, isPossibleRepeat, words, at, generation } = message;
  return {
    ...{ type: INCIDENT_EVENT_TYPES[verb], version: 1, timestamp: at.toISOString(), key, generation },
    ...{ test: isTest, possible_repeat: isPossibleRepeat, words, incident: describe(incident) },
  };
}

/** The same on each attempt at the same message, and never that of another. */
export const deliveryIdOf = ({ key, generation, at }: Message, verb: Verb): string =>
  `${key}.${generation}.${verb}.${at.getTime()}`;

const wordsOf = ({ text }: Answered): string | undefined => text.slice(0, 200) || undefined;

export function createWebhook({ outbound, now }: ProviderDeps): Provider {
  const ask = createAsk({ outbound });
  const post =
    (verb: Verb) =>
    async (to: Connection, message: Message): Promise<Outcome> => {
      const text = JSON.stringify(eventOf(message, verb));
      const id = deliveryIdOf(message, verb);
      const seconds = String(Math.floor(now() / 1000));
      const signature = hmacSha256(keyOf(to.credential), `${id}.${seconds}.${text}`).toString('base64');
      const headers = { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` };
      const reply = await ask(to, { url: to.url, headers, text });
      if (!reply.ok) return reply.refused;
      const { answer } = reply;
      const said = sayOf(`${answer.status} ${answer.text.slice(0, 200)}`, secretsOf(to));
      if (answer.status >= 200 && answer.status < 300)
        return { is: 'sent', reference: { id: message.key, label: null, url: null }, said };
      // The receiver wants no more of them.
      if (answer.status === 410) return { is: 'broken_credential', said };
      return judge(answer, { nowMs: now(), words: wordsOf, doubts: true, secrets: secretsOf(to) });
    };
  return {
    ...ABOUT,
    ...unasked,
    check: (to) => reach(outbound, to, to.url),
    open: post('open'),
    update: post('update'),
    acknowledge: post('acknowledge'),
    resolve: post('resolve'),
    reopen: post('reopen'),
  };
}
