import type { Connection, Message, Outcome, Provider } from '#kernel';
import { type Answered, type Ask, createAsk, judge, pick, pickText, type Refused, sayOf, secretsOf } from '../calls/ask.ts';
import { field, readConnection } from '../calls/connection.ts';
import { type About, newObjectOnly, nothingToDo, type ProviderDeps, unasked } from '../context.ts';
import { cut } from '../domain/cut.ts';
import { clean } from '../domain/escape.ts';
import { PRODUCT, summaryOf, textOf } from '../domain/templates.ts';

/** PagerDuty's Events API v2 (docs/notify/pagerduty.md). */

const EVENTS = '/v2/enqueue';
const FIELDS = [
  field('url', 'Events API', {
    help: "PagerDuty's events address: https://events.pagerduty.com, or https://events.eu.pagerduty.com for an account in the EU.",
    ...{ fallback: 'https://events.pagerduty.com', placeholder: 'https://events.pagerduty.com' },
  }),
  field('credential', 'Integration key', {
    help: 'Service > Integrations > Add an integration > Events API V2: the key of 32 characters. It can trigger, acknowledge and resolve, and read nothing.',
    ...{ is_secret: true, is_required: true },
  }),
  field('rest_key', 'REST API key', {
    help: "Only for PagerDuty's own webhooks: read-only is enough. It finds which of our incidents a webhook means. Without it only the portable contract works.",
    is_secret: true,
  }),
  field('rest_url', 'REST API', {
    help: 'https://api.pagerduty.com, or https://api.eu.pagerduty.com for an account in the EU.',
    fallback: 'https://api.pagerduty.com',
  }),
];
const LIMITS = { summary: 1024, source: 1000, detail: 4000, words: 20_000, eventBytes: 500_000 };
const SECRET_SETTINGS = ['rest_key'];
const CHECK_KEY = 'svc-check-of-a-key';

function payloadOf(message: Message) {
  const { incident } = message;
  const { before, title, after } = summaryOf(message);
  const text = textOf(message, 'open');
  const room = LIMITS.summary - [...before, ...after].length;
  const details = Object.fromEntries(text.facts.map(([name, value]) => [name, cut(value, LIMITS.detail)]));
  const notes = cut(clean(text.notes.join('\n')), LIMITS.words);
  return {
    summary: `${before}${cut(title, room)}${after}`,
    source: cut(incident.target ?? incident.site ?? incident.prefix ?? PRODUCT, LIMITS.source) || PRODUCT,
    severity: incident.severity,
    timestamp: incident.startedAt.toISOString(),
    ...(incident.site ? { group: cut(incident.site, LIMITS.source) } : {}),
    class: incident.planes.join(', ') || 'network',
    custom_details: { ...details, Incident: incident.url, ...(notes ? { Notes: notes } : {}) },
  };
}

/** 400 names what is wrong with an event; a key that does not exist is one of these. */
const wordsOf = ({ json }: Answered): string | undefined => {
  const errors = pick(json, 'errors');
  const listed = Array.isArray(errors) ? errors.filter((one) => typeof one === 'string').join('; ') : '';
  return [pickText(json, 'message') ?? pickText(json, 'error', 'message'), listed].filter(Boolean).join(': ') || undefined;
};

const isAboutKey = (words: string | undefined): boolean => /routing.?key|integration/i.test(words ?? '');

const trimmed = (url: string): string => url.replace(/\/+$/, '').replace(/\/v2(\/enqueue)?$/, '');

const ABOUT: About = {
  ...{ kind: 'pager_a', name: 'PagerDuty', fields: FIELDS },
  testWarning: 'A test opens an alert at PagerDuty and resolves it: whoever is on call for that service may be paged.',
  capabilities: () => ({
    ...{ hasKey: true, canBeFound: false, canUpdate: false, canAcknowledge: true, canResolve: true },
    // After a resolve the same key makes a new incident there.
    ...{ reopens: 'new', confirms: false, canLook: false },
  }),
  pace: () => ({ perMinute: 110, concurrency: 4, burst: 20, gathers: 1 }),
  parse: (given) => {
    const { to, faults } = readConnection(given, { fields: FIELDS });
    if (to.credential && !/^[A-Za-z0-9]{32}$/.test(to.credential))
      faults.add('credential', 'An integration key has 32 letters and digits.');
    if (to.settings.rest_url && URL.parse(to.settings.rest_url)?.protocol !== 'https:')
      faults.add('rest_url', 'The REST address must begin with https://.');
    faults.throwAny();
    return { ...to, url: trimmed(to.url), settings: { ...to.settings, rest_url: trimmed(to.settings.rest_url ?? '') } };
  },
};

/** Details go first where an event is larger than PagerDuty takes. */
function fitting<E extends { payload: ReturnType<typeof payloadOf> }>(event: E): E {
  if (Buffer.byteLength(JSON.stringify(event)) <= LIMITS.eventBytes) return event;
  const { Incident } = event.payload.custom_details as { Incident: string };
  return { ...event, payload: { ...event.payload, custom_details: { Incident } } };
}

/** PagerDuty groups up to a thousand alerts, and tells of a hundred at a time. */
const ALERTS = { most: 1000, page: 100 };

/** The keys of all alerts that PagerDuty grouped into one of its incidents; undefined where it cannot be asked. */
export function createAskKeys({ outbound }: Pick<ProviderDeps, 'outbound'>) {
  const ask = createAsk({ outbound });
  return async (to: Connection, id: string): Promise<readonly string[] | undefined> => {
    const keys = new Set<string>();
    for (let from = 0; from < ALERTS.most; from += ALERTS.page) {
      const reply = to.settings.rest_key ? await askRest(ask, to, { id, from }) : undefined;
      if (!reply?.ok || reply.answer.status !== 200) return undefined;
      const alerts = pick(reply.answer.json, 'alerts');
      if (!Array.isArray(alerts)) return undefined;
      for (const alert of alerts) keys.add(pickText(alert, 'alert_key') ?? '');
      if (pick(reply.answer.json, 'more') !== true) break;
    }
    return [...keys].filter((key) => key !== '');
  };
}

const askRest = (ask: Ask, to: Connection, { id, from = 0 }: { id: string; from?: number }) => {
  const headers = { authorization: `Token token=${to.settings.rest_key}`, accept: 'application/vnd.pagerduty+json;version=2' };
  const page = `limit=${ALERTS.page}&offset=${from}`;
  return ask(to, { url: `${to.settings.rest_url}/incidents/${encodeURIComponent(id)}/alerts?${page}`, method: 'GET', headers });
};

export function createPagerA({ outbound, now }: ProviderDeps): Provider {
  const ask = createAsk({ outbound });
  const judgeOf = (to: Connection, answer: Answered, doubts: boolean): Refused =>
    judge(answer, { nowMs: now(), words: wordsOf, doubts, secrets: secretsOf(to, SECRET_SETTINGS) });
  const send = async (to: Connection, key: string, event: Record<string, unknown>): Promise<Outcome> => {
    const reply = await ask(to, { url: `${to.url}${EVENTS}`, body: { routing_key: to.credential, dedup_key: key, ...event } });
    if (!reply.ok) return reply.refused;
    const { answer } = reply;
    const words = wordsOf(answer);
    const said = sayOf(`${answer.status} ${words ?? ''}`, secretsOf(to, SECRET_SETTINGS));
    if (answer.status === 202 && pickText(answer.json, 'status') === 'success' && pickText(answer.json, 'dedup_key') === key)
      return { is: 'accepted', reference: { id: key, label: null, url: null }, request: null, said };
    if (answer.status === 400 && isAboutKey(words)) return { is: 'broken_credential', said };
    return judgeOf(to, answer, true);
  };
  return {
    ...ABOUT,
    ...unasked,
    // A resolve of a key that nobody has opened is dropped there, and a routing key that does not exist is refused.
    check: async (to) => {
      const outcome = await send(to, CHECK_KEY, { event_action: 'resolve' });
      if (outcome.is !== 'accepted') return outcome;
      const rest = to.settings.rest_key ? await askRest(ask, to, { id: 'PCHECK' }) : undefined;
      if (rest && !rest.ok) return rest.refused;
      // There is no such incident: whoever is told so may ask.
      if (rest && rest.answer.status !== 404 && rest.answer.status !== 200) return judgeOf(to, rest.answer, false);
      return { is: 'sent', reference: null, said: outcome.said };
    },
    open: (to, message) => {
      const { url, number } = message.incident;
      const links = [{ href: url, text: `Incident ${number}` }];
      const event = { event_action: 'trigger', client: PRODUCT, client_url: url, links, payload: payloadOf(message) };
      return send(to, message.key, fitting(event));
    },
    // A second trigger would overwrite the summary and may page again.
    update: nothingToDo,
    acknowledge: (to, { key }) => send(to, key, { event_action: 'acknowledge' }),
    resolve: (to, { key }) => send(to, key, { event_action: 'resolve' }),
    reopen: newObjectOnly,
  };
}
