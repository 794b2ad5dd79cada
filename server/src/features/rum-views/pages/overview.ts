import { hostOfTarget } from '@svc/contracts/rum/canonical-host';
import { RUM_STATES, RUM_THRESHOLDS, type RumVerdict } from '@svc/contracts/rum/kinds';
import type { OfHosts, RumOverview, RumQuery, RumRow } from '@svc/contracts/rum/views';
import { AppError, type Ctx } from '#kernel';
import type { RumViewsContext } from '../context.ts';
import { COVERAGE_NOTE, overviewSentence, shortSentence } from '../domain/sentence.ts';
import { countRows, readRows, type ShownRow } from './rows.ts';

const WORST_FIRST: readonly RumVerdict[] = [
  'user_impact_confirmed',
  'user_only_synthetic_blind',
  'synthetic_only_no_user_impact',
  'healthy',
];

const rankOf = ({ verdict, state }: RumRow): number =>
  WORST_FIRST.indexOf(verdict) * RUM_STATES.length + RUM_STATES.indexOf(state);
/** What is not known comes last. */
const least = Number.NEGATIVE_INFINITY;
const runsFailed = ({ tests }: RumRow): number => (tests && tests.runs > 0 ? tests.failed / tests.runs : least);

const ORDERS: Readonly<Record<RumQuery['sort'], (a: RumRow, b: RumRow) => number>> = {
  verdict: (a, b) => rankOf(a) - rankOf(b),
  app: (a, b) => a.app.localeCompare(b.app, 'en'),
  host: (a, b) => (a.host ?? '').localeCompare(b.host ?? '', 'en'),
  views: (a, b) => a.views - b.views,
  error_rate: (a, b) => (a.error_rate ?? least) - (b.error_rate ?? least),
  p75_lcp: (a, b) => (a.p75.lcp ?? least) - (b.p75.lcp ?? least),
  runs_failed: (a, b) => runsFailed(a) - runsFailed(b),
};

function selectRows(rows: readonly ShownRow[], query: RumQuery): ShownRow[] {
  const search = query.search?.trim().toLowerCase() ?? '';
  const wanted = rows.filter(({ row }) => {
    if (query.app !== undefined && row.app !== query.app) return false;
    if (query.verdict && !query.verdict.includes(row.verdict)) return false;
    if (query.state && !query.state.includes(row.state)) return false;
    return search === '' || row.app.includes(search) || (row.host ?? '').includes(search);
  });
  const direction = query.descending ? -1 : 1;
  const order = ORDERS[query.sort];
  return wanted.sort(({ row: a }, { row: b }) => direction * (order(a, b) || 0) || ORDERS.app(a, b) || ORDERS.host(a, b));
}

/** Rows to leave out; a cursor is that number, which only this page reads. */
function offsetOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!/^\d{1,7}$/.test(cursor)) throw new AppError('validation', 'The cursor is not one of this list.');
  return Number(cursor);
}

const latest = (rows: readonly ShownRow[]): string | null => {
  const judged = rows.flatMap((one) => one.judged?.judgedAtMs ?? []);
  return judged.length === 0 ? null : new Date(Math.max(...judged)).toISOString();
};

/** `rum.overview` and `GET /v1/rum`. */
export async function readOverview(context: RumViewsContext, ctx: Ctx, query: RumQuery): Promise<RumOverview> {
  const { tenant } = ctx.principal;
  const apps = context.apps();
  const offset = offsetOf(query.cursor);
  const [rows, counters, rejects] = await Promise.all([
    readRows(context, tenant),
    apps.counters(tenant),
    apps.rejects(tenant, new Date(context.clock.now())),
  ]);
  const selected = selectRows(rows, query);
  const shown = selected.slice(offset, offset + query.limit);
  const next = offset + shown.length;
  const { surface, sentence } = apps.surface();
  return {
    ...{ surface, surface_sentence: sentence },
    sentence: overviewSentence(rows.map(({ said }) => said)),
    judged_at: latest(rows),
    window_minutes: RUM_THRESHOLDS.windowMinutes,
    verdicts: shown.map(({ row }) => row),
    next_cursor: next < selected.length ? String(next) : null,
    total: selected.length,
    counts: countRows(rows),
    ...{ counters, rejects, coverage_note: COVERAGE_NOTE },
  };
}

/** What users of some hosts get, for pages that are about something else there. */
export async function readOfHosts(context: RumViewsContext, ctx: Ctx, hosts: readonly string[]): Promise<OfHosts> {
  const canonical = new Map<string, string[]>();
  for (const host of hosts) {
    const name = hostOfTarget(host);
    if (name !== undefined) canonical.set(name, [...(canonical.get(name) ?? []), host]);
  }
  if (canonical.size === 0) return { items: [] };
  const rows = await readRows(context, ctx.principal.tenant);
  const known = rows.filter(({ row }) => row.host !== null && row.state !== 'waiting' && canonical.has(row.host));
  return {
    items: known.flatMap(({ row, said }) =>
      (canonical.get(row.host ?? '') ?? []).map((host) => ({
        ...{ host, app: row.app, verdict: row.verdict, sufficient: row.sufficient },
        users_hurt: said.users.degraded,
        ...{ since: row.since, views: said.users.views, sentence: shortSentence(said) },
      })),
    ),
  };
}
