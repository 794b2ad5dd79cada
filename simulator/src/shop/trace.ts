import { hash } from 'node:crypto';
import { createRandom, hashOf, type Random } from '../domain/random.ts';
import type { Attributes } from './attributes.ts';
import type { Incidents } from './incidents.ts';
import { instanceOf, type Pod, SERVICES, type ServiceName } from './services.ts';
import { KIND, type LogRecord, type SeverityText, type Span, type SpanEvent } from './signals.ts';

/** One request of a person and all that it sets off. */
export interface Trace {
  id: Uint8Array;
  random: Random;
  incidents: Incidents;
  weight: number;
  spans: Span[];
  logs: LogRecord[];
  /** The pod of a service that takes part in this trace. */
  instance(service: ServiceName): Pod;
  nextSpanId(): Uint8Array;
}

export interface TraceSeed {
  seed: number;
  /** Which second and which request in it: with the seed, all that makes a trace what it is. */
  slot: number;
  place: number;
  incidents: Incidents;
  /** Traces that this one stands for: a power of two. */
  weight: number;
  checkoutVersion: string;
}

/** The same seed gives the same trace. With a weight, its id is one that consistent probability sampling would have kept. */
export function createTrace({ seed, slot, place, incidents, weight, checkoutVersion }: TraceSeed): Trace {
  const random = createRandom(hashOf('trace', seed, slot, place));
  const digest = hash('sha256', `${seed}|${slot}|${place}`, 'buffer');
  const id = digest.subarray(0, 16);
  // The sampler decides by the last 56 bits; one of 64 is what the first six of them decide.
  id[9] = (id[9] as number) | (256 - 256 / weight);
  let spans = 0;
  return {
    id,
    random,
    incidents,
    weight,
    spans: [],
    logs: [],
    instance: (service) => {
      const { pods, version } = SERVICES[service];
      return instanceOf(service, (digest[31] as number) % pods, service === 'checkout' ? checkoutVersion : version);
    },
    nextSpanId() {
      spans += 1;
      const spanId = Buffer.from(digest.subarray(16, 24));
      spanId.writeUInt32LE((spanId.readUInt32LE(0) + Math.imul(spans, 0x9e3779b1)) >>> 0, 0);
      return spanId;
    },
  };
}

/** A span that is being worked on, and how far its clock is. */
export interface Work {
  trace: Trace;
  span: Span;
  atMs: number;
}

export interface SpanStart {
  service: ServiceName;
  name: string;
  kind: number;
  atMs: number;
  parent: Span | undefined;
  attributes: Attributes;
}

export function begin(trace: Trace, start: SpanStart): Work {
  const span: Span = {
    instance: trace.instance(start.service),
    traceId: trace.id,
    spanId: trace.nextSpanId(),
    parentId: start.parent?.spanId,
    weight: trace.weight,
    name: start.name,
    kind: start.kind,
    startMs: start.atMs,
    endMs: start.atMs,
    attributes: { ...start.attributes },
    fault: undefined,
    events: [],
    links: [],
  };
  trace.spans.push(span);
  return { trace, span, atMs: start.atMs };
}

export const end = (work: Work): void => {
  work.span.endMs = work.atMs;
};

/** A duration as they are in the wild: around a median, with a tail to the right. Milliseconds. */
export function durationAround({ random }: Trace, medianMs: number, spread = 0.45): number {
  const bell = random.next() + random.next() + random.next() + random.next() - 2;
  return medianMs * Math.exp(bell * spread * 1.73);
}

export const spend = (work: Work, medianMs: number): void => {
  work.atMs += durationAround(work.trace, medianMs);
};

export interface Line {
  severity: SeverityText;
  body: string;
  attributes?: Attributes;
}

/** A log record of the span's service, at this moment of it. */
export function log({ trace, span, atMs }: Work, { severity, body, attributes = {} }: Line): void {
  trace.logs.push({ instance: span.instance, atMs, severity, body, attributes, span });
}

export interface Failure {
  type: string;
  message: string;
  stack: string;
}

/** What an uncaught exception leaves: the event on the span, the status, and a log record with the stack. */
export function fail(work: Work, { type, message, stack }: Failure): void {
  const attributes = {
    'exception.type': type,
    'exception.message': message,
    'exception.stacktrace': `${type}: ${message}\n${stack}`,
  };
  const event: SpanEvent = { atMs: work.atMs, name: 'exception', attributes };
  work.span.events.push(event);
  work.span.fault = message;
  work.span.attributes['error.type'] = type;
  log(work, { severity: 'ERROR', body: message, attributes });
}

export const isEntry = ({ kind }: Span): boolean => kind === KIND.server || kind === KIND.consumer;
