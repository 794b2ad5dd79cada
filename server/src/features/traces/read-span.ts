import { parseOriginNotes } from '@svc/contracts/otlp/origin-notes';
import { parseSpanExtras } from '@svc/contracts/otlp/span-extras';
import { AppError, type Ctx } from '#kernel';
import { readerOf, type TracesContext } from './context.ts';
import { type Listed, toOtlpTrace } from './domain/otlp-trace.ts';
import { noSuchTrace } from './read-trace.ts';
import { MAX_SPANS } from './reader.ts';
import type { SpanDetail } from './views.ts';

/** Of what one download may be made of. */
const MAX_OTLP_BYTES = 64 * 1024 * 1024;

const toRows = ({ keys, values, types }: Listed) =>
  keys.map((key, index) => ({ key, value: values[index] ?? '', type: types[index] ?? 's' }));

/** All of one span; `not_found` for one of another tenant. */
export async function readSpan(deps: TracesContext, ctx: Ctx, { id, span }: { id: string; span: string }): Promise<SpanDetail> {
  const whole = await readerOf(deps, ctx).whole(id, span);
  if (whole === undefined) throw new AppError('not_found', 'This span is not stored: it was never received, or has expired.');
  const extras = parseSpanExtras(whole.extras);
  const { resource = {}, scope = {} } = parseOriginNotes(whole.origin);
  return {
    trace_id: id,
    span_id: whole.id,
    attributes: toRows(whole.attributes),
    resource: toRows(whole.resource),
    resource_schema_url: resource.schemaUrl ?? '',
    scope: whole.scope,
    scope_version: whole.scopeVersion,
    scope_attributes: scope.attributes ? toRows(scope.attributes) : [],
    scope_schema_url: scope.schemaUrl ?? '',
    trace_state: whole.traceState,
    flags: whole.flags,
    events: whole.events.map(({ at, name, attributes: of }, i) => ({
      unix_nano: at,
      at: new Date(Number(BigInt(at) / 1_000_000n)).toISOString(),
      name,
      attributes: toRows(of),
      dropped: extras.droppedOfEvents[i] ?? 0,
    })),
    links: extras.links.map(({ traceId, spanId, traceState, flags, attributes: of, droppedAttributesCount }) => ({
      trace_id: traceId,
      span_id: spanId,
      trace_state: traceState,
      flags,
      attributes: toRows(of),
      dropped: droppedAttributesCount,
    })),
    dropped: {
      attributes: extras.droppedAttributesCount,
      events: extras.droppedEventsCount,
      links: extras.droppedLinksCount,
      resource: resource.droppedAttributesCount ?? 0,
      scope: scope.droppedAttributesCount ?? 0,
    },
  };
}

/** The whole trace as OTLP JSON, ready to be sent again; `too_large` beyond 10,000 spans or 64 MiB. */
export async function exportTrace(deps: TracesContext, ctx: Ctx, { id }: { id: string }): Promise<string> {
  const reader = readerOf(deps, ctx);
  const { spans, bytes } = await reader.sizeOf(id);
  if (spans === 0) throw noSuchTrace();
  if (spans > MAX_SPANS || bytes > MAX_OTLP_BYTES)
    throw new AppError('too_large', `A trace of ${spans} spans and ${bytes} bytes is too large for one document.`);
  return JSON.stringify(toOtlpTrace(await reader.wholes(id)));
}
