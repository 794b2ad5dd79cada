import type { Ctx } from '#kernel';
import type { TraceFilter, ValuesInput } from './api.ts';
import { readerOf, type TracesContext, windowOf } from './context.ts';
import { toList } from './domain/attribute-columns.ts';
import type { GroupRow } from './reader.ts';
import type { AttributeValues, Facets } from './views.ts';

const toGroup = ({ spans, errors, p95 }: GroupRow) => ({ spans, errors, p95_ms: p95 });

/** What there is to filter by in the window, each list without its own filter. */
export async function readFacets(deps: TracesContext, ctx: Ctx, filter: TraceFilter): Promise<Facets> {
  const window = windowOf(deps, filter);
  const reader = readerOf(deps, ctx);
  const ofGroups = { ...filter, operation: undefined, service: undefined };
  const [{ services, operations }, keys] = await Promise.all([
    reader.groups({ filter: ofGroups, window, services: toList(filter.service) }),
    reader.keys({ filter, window }),
  ]);
  return {
    services: services.map((row) => ({ name: row.service, ...toGroup(row) })),
    operations: operations.map((row) => ({ service: row.service, name: row.name, ...toGroup(row) })),
    attributes: keys.rows.map(({ text, spans }) => ({ key: text, spans })),
    sampled: keys.sampled,
    any: services.length > 0 || (await reader.any()),
  };
}

/** The values of one attribute among the newest spans that have it. */
export async function readValues(deps: TracesContext, ctx: Ctx, { key, ...filter }: ValuesInput): Promise<AttributeValues> {
  const { rows, sampled } = await readerOf(deps, ctx).values({ filter, window: windowOf(deps, filter), key });
  return { values: rows.map(({ text, spans }) => ({ value: text, spans })), sampled };
}
