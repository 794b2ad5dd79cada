import type { RumApp } from '@svc/contracts/rum/apps';
import type { RejectReason } from '@svc/contracts/rum/kinds';
import type { TenantId } from '#kernel';
import { type AppRow, CONFIGURATION, type KeyRow, listKeys } from './app-store.ts';
import type { RumContext, ScriptRelease } from './context.ts';
import { type CounterRow, readCounters, readLastRefusals } from './counter-store.ts';
import { toRefusal } from './refusal-words.ts';

export const endpointOf = ({ config }: Pick<RumContext, 'config'>): string => `${config.publicUrl}/ingest/rum`;

/** The newest release; the build of the script always leaves one. */
export function currentScript({ releases, config }: Pick<RumContext, 'releases' | 'config'>) {
  const newest = releases.at(-1) as ScriptRelease;
  return {
    url: `${config.publicUrl}/rum.${newest.hash}.js`,
    integrity: newest.integrity,
    bytes: newest.bytes.length,
  };
}

/** Two lines of HTML for the page's head. */
function snippetOf(context: Pick<RumContext, 'releases' | 'config'>, key: string): string {
  const { url, integrity } = currentScript(context);
  const text = key.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<script defer crossorigin="anonymous" src="${url}" integrity="${integrity}"
  data-key="${text}" data-endpoint="${endpointOf(context)}"></script>`;
}

interface Known {
  keys: readonly KeyRow[];
  counters: readonly CounterRow[];
  refusals: Awaited<ReturnType<typeof readLastRefusals>>;
  names: ReadonlyMap<string, string>;
}

function presentApp(context: RumContext, tenant: TenantId, { app, known }: { app: AppRow; known: Known }): RumApp {
  const counter = (word: CounterRow['word']) => known.counters.find((one) => one.app === app.name && one.word === word);
  const isTaken = ({ key, configured }: KeyRow): boolean => !configured || context.registry.isConfigured(tenant, key);
  const keys = known.keys.filter((one) => one.app_id === app.id && isTaken(one));
  const [accepted, script] = [counter('accepted'), counter('script')];
  const refusal = known.refusals.find((one) => one.app === app.name);
  const author = known.names.get(app.created_by);
  return {
    ...{ id: app.id, name: app.name, hosts: app.hosts, rate_per_min: app.rate_per_min },
    effective_rate_per_min: app.rate_per_min ?? context.config.ratePerMin,
    source: app.configured ? 'configuration' : 'console',
    keys: keys.map(({ key, created_at, retires_at }) => ({
      ...{ key, created_at: created_at.toISOString(), retires_at: retires_at?.toISOString() ?? null },
    })),
    created_at: app.created_at.toISOString(),
    created_by: app.created_by === CONFIGURATION ? null : { id: app.created_by, name: author ?? app.created_by },
    snippet: snippetOf(context, keys[0]?.key ?? ''),
    first_beacon_at: accepted?.first_at.toISOString() ?? null,
    last_beacon_at: accepted?.last_at.toISOString() ?? null,
    script_fetches: app.hosts.length === 0 ? null : { count: script?.count ?? 0, last_at: script?.last_at.toISOString() ?? null },
    last_refusal: refusal ? toRefusal({ reason: refusal.word as RejectReason, field: refusal.field, at: refusal.last_at }) : null,
  };
}

/** Apps as lists show them, with what came of each until now. */
export async function presentApps(context: RumContext, tenant: TenantId, apps: readonly AppRow[]): Promise<RumApp[]> {
  await context.counters.flush(tenant);
  const names = apps.map(({ name }) => name);
  const known = await context.relational.withTenantSql(tenant, async (sql) => ({
    keys: await listKeys(
      sql,
      apps.map(({ id }) => id),
      new Date(context.clock.now()),
    ),
    counters: await readCounters(sql, names),
    refusals: await readLastRefusals(sql, names),
  }));
  const authors = await context.nameActors(tenant, [...new Set(apps.map((app) => app.created_by))]);
  return apps.map((app) => presentApp(context, tenant, { app, known: { ...known, names: authors } }));
}
