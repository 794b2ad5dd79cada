import type { SURFACES } from '@svc/contracts/rum/apps';
import { REJECT_REASONS, REJECT_STATUS, type RejectReason } from '@svc/contracts/rum/kinds';
import type { RumCounters, RumRejects } from '@svc/contracts/rum/views';
import type { TenantId } from '#kernel';
import { listApps } from './app-store.ts';
import type { RumContext } from './context.ts';
import { type CounterRow, type DayRow, readCounters, readRefusals, readUnknown } from './counter-store.ts';
import { meaningOf } from './refusal-words.ts';
import { surfaceOf, surfaceSentence } from './surface.ts';

export interface AppOfTenant {
  id: string;
  name: string;
  hosts: readonly string[];
  created_at: Date;
}

/** What compose/ gives to the slice that shows and judges views. */
export interface RumQueries {
  /** All of a tenant, by name. */
  apps(tenant: TenantId): Promise<AppOfTenant[]>;
  surface(): { surface: (typeof SURFACES)[number]; sentence: string };
  /** Since the counting began. */
  counters(tenant: TenantId): Promise<RumCounters>;
  /** From midnight (UTC) of a day on. */
  rejects(tenant: TenantId, from: Date): Promise<RumRejects>;
}

const ALL_APPS = 10_000;
const SHOWN_FIELDS = 10;

const totalOf = (rows: readonly CounterRow[], word: CounterRow['word']): number =>
  rows.filter((row) => row.word === word).reduce((sum, { count }) => sum + count, 0);

const least = (dates: readonly Date[]): string | null =>
  dates.length === 0 ? null : new Date(Math.min(...dates.map(Number))).toISOString();
const most = (dates: readonly Date[]): string | null =>
  dates.length === 0 ? null : new Date(Math.max(...dates.map(Number))).toISOString();

function toRow(reason: RejectReason, app: string | null, rows: readonly DayRow[]): RumRejects['items'][number] {
  return {
    ...{ reason, status: REJECT_STATUS[reason], app },
    count: rows.reduce((sum, { count }) => sum + count, 0),
    first_at: least(rows.map((row) => row.first_at)),
    last_at: most(rows.map((row) => row.last_at)),
    fields: rows
      .filter(({ field }) => field !== '')
      .slice(0, SHOWN_FIELDS)
      .map(({ field, count }) => ({ field, count })),
    ...meaningOf(reason),
  };
}

/** By reason, and within one by app; a reason for which nothing came stands there with 0. */
function toRejects(rows: readonly DayRow[]): RumRejects['items'] {
  return REJECT_REASONS.flatMap((reason) => {
    const own = rows.filter(({ word }) => word === reason);
    if (own.length === 0) return [toRow(reason, null, [])];
    const apps = [...new Set(own.map(({ app }) => app))];
    return apps.map((app) =>
      toRow(
        reason,
        app === '' ? null : app,
        own.filter((row) => row.app === app),
      ),
    );
  });
}

export function createRumQueries(context: RumContext): RumQueries {
  const { relational, counters } = context;
  return {
    apps: async (tenant) =>
      await relational.withSystemSql(tenant, async (sql) => await listApps(sql, { after: '', limit: ALL_APPS })),
    surface() {
      const surface = surfaceOf(context);
      return { surface, sentence: surfaceSentence(surface) };
    },
    async counters(tenant) {
      await counters.flush(tenant);
      const rows = await relational.withTenantSql(tenant, (sql) => readCounters(sql));
      const of = (word: CounterRow['word']): number => totalOf(rows, word);
      return {
        accepted: of('accepted'),
        ...{ rejected_no_consent: of('no_consent'), rejected_malformed: of('malformed') },
        ...{ rejected_invalid_field: of('invalid_field'), rejected_unknown_key: of('unknown_key') },
        ...{ rejected_too_large: of('too_large'), rejected_over_rate: of('over_rate') },
      };
    },
    async rejects(tenant, from) {
      await counters.flush(tenant);
      const day = new Date(Math.floor(from.getTime() / 86_400_000) * 86_400_000);
      const rows = await relational.withTenantSql(tenant, (sql) => readRefusals(sql, day));
      const [taken, over] = [totalOf(rows, 'accepted'), totalOf(rows, 'over_rate')];
      return {
        from: day.toISOString(),
        items: toRejects(rows),
        missing_share: over === 0 ? null : over / (taken + over),
        unknown_to_installation: await readUnknown(relational, day),
      };
    },
  };
}
