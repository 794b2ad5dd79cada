import type { TenantId } from '#kernel';
import type { BlockColumns, MemoryTables } from '#telemetry';
import type { SpanQuestion, Window } from '../reader.ts';
import { matcherOf } from './filter.ts';

export interface Source {
  memory: MemoryTables;
  tenant: TenantId;
}

const NS_PER_MS = 1_000_000n;

export const toNanoseconds = ({ fromMs, toMs }: Window) => ({
  fromNs: BigInt(fromMs) * NS_PER_MS,
  toNs: BigInt(toMs) * NS_PER_MS,
});

/** Visits the spans that match; `visitorOf` is called once for some thousand rows. */
export function scanMatching(
  { memory, tenant }: Source,
  { filter, window }: SpanQuestion,
  visitorOf: (columns: BlockColumns) => (row: number) => void,
) {
  const matches = matcherOf(filter);
  return memory.scan(tenant, { table: 'spans', ...toNanoseconds(window) }, ({ rows, columns }) => {
    const test = matches(columns);
    const visit = visitorOf(columns);
    for (const row of rows) if (test(row)) visit(row);
  });
}

export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
