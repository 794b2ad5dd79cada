import { type OriginNotes, parseOriginNotes } from '@svc/contracts/otlp/origin-notes';
import { parseSpanExtras } from '@svc/contracts/otlp/span-extras';
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
  /** As in contracts/src/otlp/span-extras.ts. */
  extras: string;
  /** As in contracts/src/otlp/origin-notes.ts. */
  origin: string;
}

export const toKeyValues = ({ keys, values, types }: Listed): KeyValue[] =>
  keys.map((key, index) => ({ key, value: toAnyValue(values[index] ?? '', types[index] ?? 's') }));

/** What is 0 or empty is left out, as protobuf's JSON does. */
const given = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== 0 && value !== '' && !(Array.isArray(value) && value.length === 0)),
  ) as Partial<T>;

function toOtlpSpan(span: WholeSpan) {
  const { links, droppedAttributesCount, droppedEventsCount, droppedLinksCount, droppedOfEvents } = parseSpanExtras(span.extras);
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
      droppedAttributesCount,
      events: span.events.map(({ at, name, attributes: of }, i) => ({
        timeUnixNano: at,
        name,
        ...given({ attributes: toKeyValues(of), droppedAttributesCount: droppedOfEvents[i] ?? 0 }),
      })),
      droppedEventsCount,
      links: links.map(({ traceId, spanId, traceState, flags, attributes, droppedAttributesCount: dropped }) => ({
        traceId,
        spanId,
        ...given({ traceState, attributes: toKeyValues(attributes), droppedAttributesCount: dropped, flags }),
      })),
      droppedLinksCount,
    }),
    status: given({ code: span.status, message: span.message }),
  };
}

interface ScopeGroup {
  of: WholeSpan;
  notes: OriginNotes['scope'];
  spans: WholeSpan[];
}

interface ResourceGroup {
  of: WholeSpan;
  notes: OriginNotes['resource'];
  scopes: Map<string, ScopeGroup>;
}

function groupSpans(spans: readonly WholeSpan[]): ResourceGroup[] {
  const resources = new Map<string, ResourceGroup>();
  for (const span of spans) {
    const notes = parseOriginNotes(span.origin);
    const resource = JSON.stringify([span.resource, notes.resource]);
    const group = resources.get(resource) ?? { of: span, notes: notes.resource, scopes: new Map<string, ScopeGroup>() };
    resources.set(resource, group);
    const scope = JSON.stringify([span.scope, span.scopeVersion, notes.scope]);
    const together = group.scopes.get(scope);
    if (together) together.spans.push(span);
    else group.scopes.set(scope, { of: span, notes: notes.scope, spans: [span] });
  }
  return [...resources.values()];
}

const toScopeSpans = ({ of, notes: { schemaUrl = '', attributes, ...notes } = {}, spans }: ScopeGroup) => ({
  scope: given({ name: of.scope, version: of.scopeVersion, ...notes, attributes: attributes ? toKeyValues(attributes) : [] }),
  spans: spans.map(toOtlpSpan),
  ...given({ schemaUrl }),
});

/** Spans as OTLP JSON (`TracesData`), grouped by resource and scope in the order in which they come. */
export const toOtlpTrace = (spans: readonly WholeSpan[]) => ({
  resourceSpans: groupSpans(spans).map(({ of, notes: { schemaUrl = '', ...notes } = {}, scopes }) => ({
    resource: { attributes: toKeyValues(of.resource), ...notes },
    scopeSpans: [...scopes.values()].map(toScopeSpans),
    ...given({ schemaUrl }),
  })),
});
