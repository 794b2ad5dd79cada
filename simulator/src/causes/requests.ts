import { hash } from 'node:crypto';
import type { Random } from '../domain/random.ts';
import type { Instance } from '../shop/services.ts';
import { KIND, type SentLog, type SentSpan } from '../shop/signals.ts';
import type { CallPlan, Estate, Fault, FaultOf, Scenario, ServicePlan } from './scenario.ts';

/** One request for the host and all that it sets off. */
export interface Answer {
  ms: number;
  failed: boolean;
  spans: SentSpan[];
  logs: SentLog[];
}

interface Request {
  scenario: Scenario;
  /** When the harm began, Unix milliseconds. */
  onsetMs: number;
  random: Random;
  traceId: Buffer;
  spans: SentSpan[];
  logs: SentLog[];
}

interface Served {
  endMs: number;
  failed: boolean;
}

/** Of a hundred requests that nothing is wrong with. */
const USUAL_ERRORS = 0.004;
const MAX_DEPTH = 6;

const instances = new Map<string, Instance>();
function instanceOf(service: string): Instance {
  const known = instances.get(service);
  if (known) return known;
  const made = {
    key: service,
    scope: 'http',
    resource: { 'service.name': service, 'deployment.environment.name': 'production' },
  };
  instances.set(service, made);
  return made;
}

/** Around a median with a tail to the right, as durations are in the wild. */
export function durationAround(random: Random, medianMs: number, spread = 0.3): number {
  const bell = random.next() + random.next() + random.next() + random.next() - 2;
  return medianMs * Math.exp(bell * spread * 1.73);
}

/** As usual, and what a fault adds to it. */
const takenBy = (random: Random, medianMs: number, addMs: number): number =>
  durationAround(random, medianMs) + (addMs > 0 ? durationAround(random, addMs) : 0);

const spanId = (random: Random): Buffer => {
  const id = Buffer.alloc(8);
  id.writeUInt32LE(Math.floor(random.next() * 0xffff_ffff) + 1, 0);
  id.writeUInt32LE(Math.floor(random.next() * 0xffff_ffff), 4);
  return id;
};

/** Faults of one kind that have begun. */
export const activeFaults = <What extends Fault['what']>(scenario: Scenario, what: What, sinceOnsetMs: number): FaultOf<What>[] =>
  scenario.faults.filter((fault): fault is FaultOf<What> => fault.what === what && sinceOnsetMs >= (fault.fromMs ?? 0));

/** How a part behaves at a time: what its faults make of it. */
function stateOf({ scenario, onsetMs }: Request, part: { service?: ServicePlan; outside?: string }, atMs: number) {
  const since = atMs - onsetMs;
  const own =
    part.outside === undefined
      ? activeFaults(scenario, 'service', since).filter(({ service }) => service === part.service?.name)
      : activeFaults(scenario, 'outside', since).filter(({ name }) => name === part.outside);
  const isFront = part.service !== undefined && part.service === scenario.estate.services[0];
  const all = [...own, ...(isFront ? activeFaults(scenario, 'load', since) : [])];
  return {
    errors: Math.max(USUAL_ERRORS / 4, ...all.map(({ errors = 0 }) => errors)),
    addMs: Math.max(0, ...all.map(({ addMs = 0 }) => addMs)),
    line: all[0]?.line,
  };
}

function tell(
  request: Request,
  { service, atMs, body, severity = 'ERROR' }: { service: string; atMs: number; body: string; severity?: 'ERROR' | 'WARN' },
): void {
  const span = request.spans.at(-1);
  request.logs.push({ instance: instanceOf(service), atMs, severity, body, attributes: {}, span });
}

interface SpanStart {
  service: string;
  name: string;
  kind: number;
  atMs: number;
  parentId: Uint8Array | undefined;
  attributes: Record<string, string | number>;
}

function beginSpan(request: Request, { service, atMs, ...start }: SpanStart): SentSpan {
  const span: SentSpan = {
    ...{ instance: instanceOf(service), traceId: request.traceId, spanId: spanId(request.random), weight: 1 },
    ...{ ...start, startMs: atMs, endMs: atMs, fault: undefined, events: [], links: [] },
  };
  request.spans.push(span);
  return span;
}

/** A call out of a service; its caller fails with it. */
function call(
  request: Request,
  { from, plan, parent, atMs, depth }: { from: ServicePlan; plan: CallPlan; parent: SentSpan; atMs: number; depth: number },
): Served {
  const span = beginSpan(request, {
    ...{ service: from.name, kind: KIND.client, atMs, parentId: parent.spanId },
    name: plan.kind === 'database' ? 'SELECT orders' : `GET ${plan.to}`,
    attributes:
      plan.kind === 'database'
        ? { 'db.system.name': 'postgresql', 'server.address': plan.to }
        : { 'http.request.method': 'GET', 'server.address': plan.to },
  });
  let served: Served;
  if (plan.kind === 'service') {
    const callee = request.scenario.estate.services.find(({ name }) => name === plan.to);
    served = callee
      ? serve(request, { service: callee, parent: span, atMs: atMs + 0.4, depth: depth + 1 })
      : { endMs: atMs, failed: false };
  } else {
    const state = stateOf(request, { outside: plan.to }, atMs);
    const failed = request.random.next() < state.errors;
    served = { endMs: atMs + takenBy(request.random, plan.medianMs, state.addMs), failed };
    const isSlow = state.addMs > 0 && request.random.next() < 0.4;
    if (state.line !== undefined && (failed || isSlow))
      tell(request, { service: from.name, atMs: served.endMs, body: state.line, severity: failed ? 'ERROR' : 'WARN' });
  }
  span.endMs = served.endMs;
  if (served.failed) span.fault = `${plan.to} failed`;
  return served;
}

function serve(
  request: Request,
  { service, parent, atMs, depth }: { service: ServicePlan; parent: SentSpan | undefined; atMs: number; depth: number },
): Served {
  const { random, scenario } = request;
  const isFront = parent === undefined;
  const span = beginSpan(request, {
    ...{ service: service.name, kind: KIND.server, atMs, parentId: parent?.spanId },
    name: `GET /${service.name}${random.next() < 0.4 ? '/list' : ''}`,
    attributes: { 'http.request.method': 'GET', 'server.address': isFront ? scenario.estate.host : service.name },
  });
  const state = stateOf(request, { service }, atMs);
  let at = atMs + takenBy(random, service.workMs, state.addMs) / 2;
  let failed = random.next() < state.errors;
  if (failed && state.line !== undefined) tell(request, { service: service.name, atMs: at, body: state.line });
  if (!failed && state.line !== undefined && state.addMs > 0 && random.next() < 0.3)
    tell(request, { service: service.name, atMs: at, body: state.line, severity: 'WARN' });
  if (random.next() < 0.01)
    tell(request, { service: service.name, atMs: at, body: 'Retried a connection that was closed', severity: 'WARN' });
  for (const plan of failed || depth >= MAX_DEPTH ? [] : service.calls) {
    const served = call(request, { from: service, plan, parent: span, atMs: at, depth });
    at = served.endMs + 0.4;
    if (!served.failed) continue;
    failed = true;
    tell(request, { service: service.name, atMs: at, body: `Request failed: ${plan.to} gave no answer` });
    break;
  }
  span.endMs = at + takenBy(random, service.workMs, state.addMs) / 2;
  if (failed) {
    span.fault = 'failed';
    span.attributes['http.response.status_code'] = 503;
  }
  return { endMs: span.endMs, failed };
}

/** What is left of the host where nobody sends traces: one part that answers. */
const bare = ({ host }: Estate): ServicePlan => ({ name: host, workMs: 60, calls: [] });

/** The request of one visitor or test for the host, at a time. The same random numbers give the same answer. */
export function askHost(
  scenario: Scenario,
  { onsetMs, atMs, random }: { onsetMs: number; atMs: number; random: Random },
): Answer {
  const traceId = hash('sha256', `${scenario.seed}|${atMs}|${random.next()}`, 'buffer').subarray(0, 16);
  const request: Request = { scenario, onsetMs, random, traceId, spans: [], logs: [] };
  const [front] = scenario.estate.services;
  const { endMs, failed } = serve(request, { service: front ?? bare(scenario.estate), parent: undefined, atMs, depth: 0 });
  return { ms: endMs - atMs, failed, spans: front ? request.spans : [], logs: front ? request.logs : [] };
}
