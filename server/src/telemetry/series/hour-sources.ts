import type { Clock, TenantId } from '#kernel';
import type { ColumnStore } from '../ports.ts';
import type { TimeSpan } from '../reading/stretches.ts';
import { findChangedHours, firstOpenHour, HOUR_MS, type HourlyRollUp, hourOf } from './hours.ts';

/** Stretches of time answered from points, and the hours between them that their roll-ups answer. */
export interface Sources {
  raw: readonly TimeSpan[];
  hours: { firstHour: number; endHour: number; except: readonly number[] } | undefined;
}

/** Adjoining stretches as one. */
function joinSpans(spans: readonly TimeSpan[]): TimeSpan[] {
  const joined: TimeSpan[] = [];
  for (const { fromMs, toMs } of spans) {
    const last = joined.at(-1);
    if (last && last.toMs >= fromMs) joined[joined.length - 1] = { fromMs: last.fromMs, toMs };
    else if (fromMs < toMs) joined.push({ fromMs, toMs });
  }
  return joined;
}

/** Whole hours whose roll-up is up to date come from there; the window's cut ends and hours that changed since come from points. */
export async function chooseSources(
  { store, clock }: { store: ColumnStore; clock: Clock },
  tenant: TenantId,
  query: TimeSpan & { stepMs: number } & Pick<HourlyRollUp, 'marks' | 'keptDays'>,
): Promise<Sources> {
  const { fromMs, toMs, stepMs, marks, keptDays } = query;
  const firstHour = Math.ceil(fromMs / HOUR_MS);
  const endHour = hourOf(toMs);
  if (stepMs === 0 || stepMs % HOUR_MS !== 0 || firstHour >= endHour) return { raw: [{ fromMs, toMs }], hours: undefined };
  const open = { firstHour: Math.max(firstHour, firstOpenHour(clock.now(), keptDays)), endHour };
  const except = await findChangedHours(store, tenant, { marks, ...open });
  const changed = except.map((hour) => ({ fromMs: hour * HOUR_MS, toMs: (hour + 1) * HOUR_MS }));
  const raw = joinSpans([{ fromMs, toMs: firstHour * HOUR_MS }, ...changed, { fromMs: endHour * HOUR_MS, toMs }]);
  return { raw, hours: { firstHour, endHour, except } };
}
