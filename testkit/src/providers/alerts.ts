import { type CallBackTarget, createCallBack } from './call-back.ts';
import { checkOf } from './contract.ts';
import type { KeptObject, PersonAct, SimulatedProvider } from './kept.ts';
import { type Answer, type Call, type ServerOptions, startServer } from './server.ts';
import { createWindow } from './window.ts';

/**
 * Opsgenie and its successor: alerts by alias. Everything is answered with 202 and done later; what became of it is asked by request id. An
 * open alert takes a second create of its alias as a count; a close of an unknown alias fails later, behind the 202.
 */
export interface AlertsOptions extends ServerOptions {
  apiKey: string;
  /** Stands before /v2/alerts, as at the successor. */
  basePath?: string;
  perMinute?: number;
  /** From the 202 until it is done. */
  lagMs?: number;
  callBack?: () => CallBackTarget | undefined;
}

interface Alert extends KeptObject {
  count: number;
}

interface Done {
  action: string;
  isSuccess: boolean;
  status: string;
  alertId: string;
  alias: string;
  readyMs: number;
}

const LIMITS: Readonly<Record<string, number>> = { message: 130, alias: 512, description: 15_000, entity: 512 };
const createSchema = checkOf('opsgenie', 'alerts.swagger.json', '/definitions/CreateAlertPayload');
const noteSchema = checkOf('opsgenie', 'alerts.swagger.json', '/definitions/AddNoteToAlertPayload');
const actionSchema = checkOf('opsgenie', 'alerts.swagger.json', '/definitions/AlertActionPayload');

function checkCreate(body: unknown): string[] {
  const faults = createSchema(body);
  const given = (body ?? {}) as Record<string, unknown>;
  for (const [name, most] of Object.entries(LIMITS)) {
    const value = given[name];
    if (typeof value === 'string' && [...value].length > most) faults.push(`${name} is longer than ${most}`);
  }
  const { tags = [], responders = [] } = given as { tags?: string[]; responders?: unknown[] };
  if (tags.length > 20 || tags.some((tag) => [...tag].length > 50)) faults.push('tags are too many or too long');
  if (responders.length > 50) faults.push('responders are too many');
  return faults;
}

const findOpen = (alerts: readonly Alert[], alias: string): Alert | undefined =>
  alerts.findLast((one) => one.key === alias && one.state !== 'resolved');

interface Wish {
  action: string;
  alias: string;
  body: Record<string, unknown>;
  atMs: number;
}

function create(alerts: Alert[], { alias, body, atMs }: Wish): { alert: Alert; isNew: boolean } {
  const open = findOpen(alerts, alias);
  if (open) {
    open.count += 1;
    return { alert: open, isNew: false };
  }
  const number = alerts.length + 1;
  const id = `5e2a${String(number).padStart(4, '0')}-0000-4000-8000-000000000000-${atMs}`;
  const text = `${body.priority ?? 'P3'} ${body.description ?? ''} ${JSON.stringify(body.details ?? {})}`;
  const alert: Alert = {
    id,
    name: `#${number}`,
    key: alias,
    state: 'open',
    title: String(body.message),
    text,
    lines: [],
    atMs,
    count: 1,
  };
  alerts.push(alert);
  return { alert, isNew: true };
}

/** What an action makes of an alert that is there; false: nothing to do. */
function change(alert: Alert, { action, body }: Wish): boolean {
  const note = typeof body.note === 'string' ? `: ${body.note}` : '';
  if (action === 'AddNote') alert.lines.push(`note${note}`);
  else if (action === 'Close') alert.state = 'resolved';
  else if (action === 'Acknowledge' && alert.state === 'acknowledged') return false;
  else alert.state = 'acknowledged';
  if (action !== 'AddNote') alert.lines.push(`${action.toLowerCase()}${note}`);
  return true;
}

const ACTIONS: Readonly<Record<string, string>> = { close: 'Close', acknowledge: 'Acknowledge', notes: 'AddNote' };

/** The state behind the calls. */
function createAlerts({ lagMs = 0, callBack: target }: AlertsOptions) {
  const alerts: Alert[] = [];
  const requests = new Map<string, Done>();
  const callBack = createCallBack(target ?? (() => undefined));
  const tell = (action: string, alert: Alert, type: string): void =>
    callBack.send(
      {
        ...{
          action,
          integrationId: '37c8f316-17c6-49d7-899b-9c7e540c048d',
          integrationName: 'Webhook',
          source: { name: '', type },
        },
        alert: {
          alertId: alert.id,
          alias: alert.key,
          tinyId: alert.name.slice(1),
          message: alert.title,
          username: 'user@example.com',
        },
      },
      (_, secret) => ({ 'x-svc-token': secret }),
    );
  const carryOut = (wish: Wish): Omit<Done, 'readyMs'> => {
    if (wish.action === 'Create') {
      const { alert, isNew } = create(alerts, wish);
      if (isNew) tell('Create', alert, 'API');
      return { action: 'Create', isSuccess: true, status: 'Created alert', alertId: alert.id, alias: wish.alias };
    }
    const alert = findOpen(alerts, wish.alias);
    if (!alert) return { action: wish.action, isSuccess: false, status: 'Alert does not exist', alertId: '', alias: wish.alias };
    if (change(alert, wish)) tell(wish.action, alert, 'API');
    return { action: wish.action, isSuccess: true, status: `${wish.action} done`, alertId: alert.id, alias: wish.alias };
  };
  const take = (wish: Wish): Answer => {
    const id = `req-${requests.size + 1}-${wish.atMs}`;
    requests.set(id, { ...carryOut(wish), readyMs: wish.atMs + lagMs });
    return { status: 202, body: { result: 'Request will be processed', took: 0.01, requestId: id } };
  };
  return { alerts, requests, callBack, tell, take };
}

const error = (status: number, message: string): Answer => ({ status, body: { message, took: 0.001, requestId: 'req-refused' } });

function present(alert: Alert): Answer {
  const status = alert.state === 'resolved' ? 'closed' : 'open';
  const data = { id: alert.id, tinyId: alert.name.slice(1), alias: alert.key, message: alert.title, status, count: alert.count };
  return {
    status: 200,
    body: { data: { ...data, acknowledged: alert.state === 'acknowledged' }, took: 0.01, requestId: 'req-get' },
  };
}

export async function startAlerts(options: AlertsOptions): Promise<SimulatedProvider & { told(): Promise<readonly number[]> }> {
  const base = `${options.basePath ?? ''}/v2/alerts`;
  const window = createWindow({ most: options.perMinute ?? 600, ms: 60_000 });
  const kept = createAlerts(options);
  const handle = (call: Call, breach: (words: string) => void): Answer => {
    if (call.headers.authorization !== `GenieKey ${options.apiKey}`) return error(401, 'Key format is not valid!');
    if (!call.path.startsWith(base)) return error(404, 'No such path');
    if (window.take(call.atMs) !== undefined)
      return {
        ...error(429, 'You are making too many requests!'),
        headers: { 'x-ratelimit-state': 'THROTTLED', 'x-ratelimit-reason': 'ACCOUNT', 'x-ratelimit-period-in-sec': '2' },
      };
    const [, first = '', second] = call.path.slice(base.length).split('/').map(decodeURIComponent);
    if (call.method === 'GET' && first === 'requests') {
      const done = kept.requests.get(second ?? '');
      if (!done || done.readyMs > call.atMs) return error(404, 'Request not found. It might not be processed, yet.');
      const { readyMs: _, ...data } = done;
      return { status: 200, body: { data: { ...data, success: data.isSuccess }, took: 0.01, requestId: 'req-status' } };
    }
    const isByAlias = call.query.get('identifierType') === 'alias';
    if (first !== '' && !isByAlias) breach('an alias without identifierType=alias is taken as an id');
    if (call.method === 'GET') {
      const alert = kept.alerts.findLast((one) => one.key === first && one.atMs + (options.lagMs ?? 0) <= call.atMs);
      return alert && isByAlias ? present(alert) : error(404, `Alert with alias [${first}] does not exist`);
    }
    const action = first === '' ? 'Create' : ACTIONS[second ?? ''];
    if (call.method !== 'POST' || action === undefined) {
      breach('no such operation');
      return error(404, 'No such path');
    }
    const body = (call.json ?? {}) as Record<string, unknown>;
    const faults = action === 'Create' ? checkCreate(body) : action === 'AddNote' ? noteSchema(body) : actionSchema(body);
    for (const fault of faults) breach(fault);
    if (faults.length > 0) return error(422, faults.join('; '));
    return kept.take({ action, alias: action === 'Create' ? String(body.alias ?? '') : first, body, atMs: call.atMs });
  };
  const server = await startServer(options, handle);
  const act = async (id: string, what: PersonAct): Promise<void> => {
    const alert = kept.alerts.find((one) => one.id === id);
    if (!alert) return;
    if (what === 'delete') kept.alerts.splice(kept.alerts.indexOf(alert), 1);
    else alert.state = what === 'acknowledge' ? 'acknowledged' : what === 'resolve' ? 'resolved' : 'open';
    alert.lines.push(`${what} by a person`);
    kept.tell({ acknowledge: 'Acknowledge', resolve: 'Close', reopen: 'UnAcknowledge', delete: 'Delete' }[what], alert, 'web');
    await kept.callBack.settled();
  };
  return { ...server, objects: () => kept.alerts, act, told: () => kept.callBack.settled() };
}
