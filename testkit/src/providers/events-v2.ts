import { type CallBackTarget, createCallBack, hmacHex } from './call-back.ts';
import { checkOf } from './contract.ts';
import type { KeptObject, PersonAct, SimulatedProvider } from './kept.ts';
import { type Answer, type Call, type ServerOptions, startServer } from './server.ts';
import { createWindow } from './window.ts';

/**
 * PagerDuty: Events API v2 as its published contract has it, the alerts of an incident over REST, and webhooks v3. A trigger with the key of an
 * open alert is added to it; acknowledge and resolve without one are dropped in silence, with 202; after a resolve the same key makes another
 * incident.
 */
export interface EventsOptions extends ServerOptions {
  routingKey: string;
  restKey?: string;
  /** Events a minute for the routing key. */
  perMinute?: number;
  callBack?: () => CallBackTarget | undefined;
  /** Keys of other alerts that are grouped into each incident. */
  grouped?: readonly string[];
}

interface Incident extends KeptObject {
  triggers: number;
}

const MAX_BYTES = 524_288;
const invalid = (...errors: string[]): Answer => ({
  status: 400,
  body: { status: 'invalid event', message: 'Event object is invalid', errors },
});

interface Event {
  routing_key: string;
  event_action: 'trigger' | 'acknowledge' | 'resolve';
  dedup_key?: string;
  payload?: { summary: string; source: string; severity: string; custom_details?: unknown };
  links?: { href: string }[];
}

const eventSchema = checkOf(
  'pagerduty',
  'events-v2.facts.openapi.json',
  '/paths/~1enqueue/post/requestBody/content/application~1json/schema',
);

function checkEvent(call: Call): string[] {
  const faults = eventSchema(call.json);
  const event = (call.json ?? {}) as Partial<Event>;
  if (event.event_action === 'trigger' && !event.payload) faults.push("'payload' is missing or blank");
  if (event.event_action !== 'trigger' && !event.dedup_key) faults.push("'dedup_key' is missing or blank");
  if (Buffer.byteLength(call.text) > MAX_BYTES) faults.push('the event is larger than 512 KB');
  if (event.links?.some(({ href }) => !/^https?:\/\//.test(href))) faults.push("'links' has an entry that is no URL");
  if (call.headers.authorization) faults.push('Events v2 takes no auth header');
  return faults;
}

/** Applies one event; whether it changed anything. */
function applyEvent(incidents: Incident[], event: Event, atMs: number): Incident | undefined {
  const key = event.dedup_key ?? `generated-${incidents.length}`;
  const open = incidents.findLast((one) => one.key === key && one.state !== 'resolved');
  if (event.event_action === 'trigger') {
    const { summary = '', source = '', severity = '' } = event.payload ?? {};
    if (open) {
      open.triggers += 1;
      open.title = summary;
      open.lines.push(`triggered again (${severity})`);
      return undefined;
    }
    const id = `Q${(incidents.length + 1).toString().padStart(6, '0')}SIM`;
    const text = `${severity} from ${source} ${JSON.stringify(event.payload?.custom_details ?? {})} ${JSON.stringify(event.links ?? [])}`;
    const made: Incident = {
      id,
      name: `#${incidents.length + 1}`,
      key,
      state: 'open',
      title: summary,
      text,
      lines: [],
      atMs,
      triggers: 1,
    };
    incidents.push(made);
    return made;
  }
  if (!open) return undefined;
  const became = event.event_action === 'resolve' ? 'resolved' : 'acknowledged';
  if (open.state === became) return undefined;
  open.state = became;
  open.lines.push(became);
  return open;
}

const WORDS = { open: 'triggered', acknowledged: 'acknowledged', resolved: 'resolved' };

function describe(one: Incident, { kind, origin, person }: { kind: string; origin: string; person: boolean }) {
  const agent = {
    id: 'PSIMUSR',
    type: 'user_reference',
    self: `${origin}/users/PSIMUSR`,
    html_url: null,
    summary: 'Example User',
  };
  return {
    event: {
      ...{ id: `01SIM${one.id}${one.lines.length}`, event_type: `incident.${kind}`, resource_type: 'incident' },
      ...{ occurred_at: new Date().toISOString(), agent: person ? agent : null, client: null },
      data: {
        ...{ id: one.id, type: 'incident', self: `${origin}/incidents/${one.id}`, html_url: `${origin}/incidents/${one.id}` },
        // Not the key of the events: deliveries of the real one hold an id that nobody has set.
        ...{
          number: Number(one.name.slice(1)),
          status: WORDS[one.state],
          incident_key: `random${one.id.toLowerCase()}`,
          title: one.title,
        },
      },
    },
  };
}

export async function startEventsV2(options: EventsOptions): Promise<SimulatedProvider & { told(): Promise<readonly number[]> }> {
  const incidents: Incident[] = [];
  const window = createWindow({ most: options.perMinute ?? 120, ms: 60_000 });
  const callBack = createCallBack(options.callBack ?? (() => undefined));
  const tell = (one: Incident, kind: string, person: boolean): void =>
    callBack.send(describe(one, { kind, origin: server.origin, person }), (bytes, secret) => ({
      'x-pagerduty-signature': `v1=${hmacHex(secret, bytes)}`,
      'x-webhook-id': `hook-${one.id}-${one.lines.length}`,
      'user-agent': 'PagerDuty-Webhook/V3.0',
    }));
  const enqueue = (call: Call, breach: (words: string) => void): Answer => {
    const event = call.json as Event;
    const faults = checkEvent(call);
    for (const fault of faults) breach(fault);
    if (faults.length > 0) return invalid(...faults);
    if (event.routing_key !== options.routingKey) return invalid("'routing_key' is invalid: no such integration");
    if (window.take(call.atMs) !== undefined)
      return {
        status: 429,
        body: { status: 'throttle exceeded', message: 'Requests for this service are arriving too quickly.' },
      };
    const changed = applyEvent(incidents, event, call.atMs);
    if (changed) tell(changed, WORDS[changed.state], false);
    return { status: 202, body: { status: 'success', message: 'Event processed', dedup_key: event.dedup_key } };
  };
  const listAlerts = (call: Call, id: string): Answer => {
    if (call.headers.authorization !== `Token token=${options.restKey}`)
      return { status: 401, body: { error: { message: 'Unauthorized', code: 2006 } } };
    const one = incidents.find((known) => known.id === id);
    if (!one) return { status: 404, body: { error: { message: 'Not Found', code: 2100 } } };
    const status = one.state === 'resolved' ? 'resolved' : 'triggered';
    const [from, size] = [Number(call.query.get('offset') ?? 0), Math.min(100, Number(call.query.get('limit') ?? 25))];
    const keys = [one.key, ...(options.grouped ?? [])];
    const alerts = keys.map((key, at) => ({ type: 'alert', id: `A${one.id}${at}`, status, alert_key: key }));
    return { status: 200, body: { alerts: alerts.slice(from, from + size), more: from + size < alerts.length } };
  };
  const server = await startServer(options, (call, breach) => {
    if (call.method === 'POST' && call.path === '/v2/enqueue') return enqueue(call, breach);
    const id = call.method === 'GET' ? /^\/incidents\/([^/]+)\/alerts$/.exec(call.path)?.[1] : undefined;
    if (id !== undefined) return listAlerts(call, id);
    breach('no such operation');
    return { status: 404, body: 'not found' };
  });
  const act = async (id: string, what: PersonAct): Promise<void> => {
    const one = incidents.find((known) => known.id === id);
    if (!one || what === 'delete') return;
    one.state = what === 'acknowledge' ? 'acknowledged' : what === 'resolve' ? 'resolved' : 'open';
    one.lines.push(`${one.state} by a person`);
    tell(one, what === 'reopen' ? 'reopened' : WORDS[one.state], true);
    await callBack.settled();
  };
  return { ...server, objects: () => incidents, act, told: () => callBack.settled() };
}
