import { type KeyValue, toAnyValue } from './otlp-values.ts';

/** Attributes with the letters of their types. */
export interface Listed {
  keys: readonly string[];
  values: readonly string[];
  types: string;
}

/** A span as it is kept; times are Unix nanoseconds as text, ids hex. */
export interface WholeSpan {
  traceId: string;
  id: string;
  /** '' for a root. */
  parent: string;
  at: string;
  end: string;
  traceState: string;
  flags: number;
  name: string;
  kind: number;
  status: number;
  message: string;
  scope: string;
  scopeVersion: string;
  resource: Listed;
  attributes: Listed;
  events: { at: string; name: string; attributes: Listed }[];
  links: { traceId: string; spanId: string; attributes: Listed }[];
  /** Attributes, events and links that the sender dropped. */
  dropped: readonly number[];
}

export const toKeyValues = ({ keys, values, types }: Listed): KeyValue[] =>
  keys.map((key, index) => ({ key, value: toAnyValue(values[index] ?? '', types[index] ?? 's') }));

/** What is 0 or empty is left out, as protobuf's JSON does. */
const given = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== 0 && value !== '' && !(Array.isArray(value) && value.length === 0)),
  ) as Partial<T>;

function toOtlpSpan(span: WholeSpan) {
  const [attributes = 0, events = 0, links = 0] = span.dropped;
  return {
    traceId: span.traceId,
    spanId: span.id,
    ...given({ traceState: span.traceState, parentSpanId: span.parent, flags: span.flags }),
    name: span.name,
    kind: span.kind,
    startTimeUnixNano: span.at,
    endTimeUnixNano: span.end,
    ...given({
      attributes: toKeyValues(span.attributes),
      droppedAttributesCount: attributes,
      events: span.events.map(({ at, name, attributes: of }) => ({
        timeUnixNano: at,
        name,
        ...given({ attributes: toKeyValues(of) }),
      })),
      droppedEventsCount: events,
      links: span.links.map(({ traceId, spanId, attributes: of }) => ({
        traceId,
        spanId,
        ...given({ attributes: toKeyValues(of) }),
      })),
      droppedLinksCount: links,
    }),
    status: given({ code: span.status, message: span.message }),
  };
}

/** Spans as OTLP JSON (`TracesData`), grouped by resource and scope in the order in which they come. */
export function toOtlpTrace(spans: readonly WholeSpan[]) {
  const resources = new Map<string, { of: WholeSpan; scopes: Map<string, WholeSpan[]> }>();
  for (const span of spans) {
    const resource = JSON.stringify(span.resource);
    const group = resources.get(resource) ?? { of: span, scopes: new Map<string, WholeSpan[]>() };
    resources.set(resource, group);
    const scope = JSON.stringify([span.scope, span.scopeVersion]);
    const together = group.scopes.get(scope);
    if (together) together.push(span);
    else group.scopes.set(scope, [span]);
  }
  return {
    resourceSpans: [...resources.values()].map(({ of, scopes }) => ({
      resource: { attributes: toKeyValues(of.resource) },
      scopeSpans: [...scopes.values()].map((together) => ({
        scope: given({ name: together[0]?.scope ?? '', version: together[0]?.scopeVersion ?? '' }),
        spans: together.map(toOtlpSpan),
      })),
    })),
  };
}
