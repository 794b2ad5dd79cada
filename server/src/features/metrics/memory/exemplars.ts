import type { TenantId } from '#kernel';
import type { MemoryTables } from '#telemetry';
import type { ExemplarQuestion, ExemplarRow } from '../reader.ts';
import { scanPoints } from './points.ts';

/** The largest of each stretch, each once however often it was delivered. */
export async function exemplarRows(tables: MemoryTables, tenant: TenantId, question: ExemplarQuestion): Promise<ExemplarRow[]> {
  const { stretchMs, perStretch, limit } = question;
  const stretches = new Map<number, ExemplarRow[]>();
  await scanPoints(tables, { tenant, table: 'metric_exemplars', ...question }, ({ columns, row, series, at }) => {
    const value = columns.numbers('value')[row] as number;
    const place = Math.floor(at / stretchMs);
    const kept = stretches.get(place) ?? [];
    stretches.set(place, kept);
    const least = kept.at(-1);
    if (least && kept.length === perStretch && least.value >= value) return;
    const id = String(question.fingerprints[series]);
    const [trace, span] = [columns.ids('trace_id').hex(row), columns.ids('span_id').hex(row)];
    const again = kept.findIndex((one) => one.id === id && one.at === at && one.trace_id === trace && one.span_id === span);
    if (again >= 0 && (kept[again] as ExemplarRow).value >= value) return;
    if (again >= 0) kept.splice(again, 1);
    const { keys, values } = columns.maps('attributes').entries(row);
    const attributes = Object.fromEntries(keys.map((key, i) => [key, values[i] as string]));
    kept.push({ id, at, value, trace_id: trace, span_id: span, attributes });
    kept.sort((a, b) => b.value - a.value);
    kept.length = Math.min(kept.length, perStretch);
  });
  return [...stretches]
    .sort(([a], [b]) => a - b)
    .flatMap(([, kept]) => kept)
    .slice(0, limit);
}
