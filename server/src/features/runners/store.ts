import { type Capabilities, Capabilities as CapabilitiesSchema, type RunnerFacts } from '@svc/contracts/tests/runner';
import type { RunnerView } from '@svc/contracts/tests/views';
import type { TenantSql } from '#relational';

/** Silent for longer, it counts as not connected; shorter than that is a restart or a moment without network, and moves no test elsewhere. */
export const SILENT_AFTER_MS = 90_000;

export interface RunnerRow {
  id: string;
  name: string;
  labels: Record<string, string>;
  site: string | null;
  version: string | null;
  lacks: unknown;
  enrolled_at: Date;
  cert_not_after: Date;
  connected_at: Date | null;
  contact_at: Date | null;
  cpu_ratio: number | null;
  rss_bytes: string | null;
  spool_results: number;
  clock_skew_ms: string;
  upgrade_required: boolean;
}

const COLUMNS = `id, name, labels, site, version, lacks, enrolled_at, cert_not_after, connected_at, contact_at, cpu_ratio, rss_bytes,
  spool_results, clock_skew_ms, upgrade_required`;

/** Living runners of the transaction's tenant by name; a tenant has at most MAX_RUNNERS. */
export async function readRunners(sql: TenantSql): Promise<RunnerRow[]> {
  return (await sql.query<RunnerRow>(`SELECT ${COLUMNS} FROM runners WHERE revoked_at IS NULL ORDER BY lower(name), id`)).rows;
}

const lacksOf = (row: RunnerRow): Capabilities => {
  const parsed = CapabilitiesSchema.safeParse(row.lacks);
  return parsed.success ? parsed.data : {};
};

export const isConnected = (row: Pick<RunnerRow, 'contact_at'>, nowMs: number): boolean =>
  row.contact_at !== null && nowMs - row.contact_at.getTime() < SILENT_AFTER_MS;

export const toFacts = (row: RunnerRow, nowMs: number): RunnerFacts => ({
  id: row.id,
  name: row.name,
  labels: row.labels,
  ...(row.site === null ? {} : { site: row.site }),
  connected: isConnected(row, nowMs),
  lacks: lacksOf(row),
});

export function toView(row: RunnerRow, { nowMs, tests }: { nowMs: number; tests: number }): RunnerView {
  const connected = isConnected(row, nowMs);
  return {
    id: row.id,
    name: row.name,
    built_in: false,
    labels: row.labels,
    site: row.site,
    version: row.version,
    connected,
    connected_since: connected ? (row.connected_at?.toISOString() ?? null) : null,
    contact_at: row.contact_at?.toISOString() ?? null,
    lacks: lacksOf(row),
    tests,
    cpu_ratio: row.cpu_ratio,
    rss_bytes: row.rss_bytes === null ? null : Number(row.rss_bytes),
    spool_results: row.spool_results,
    clock_skew_ms: Number(row.clock_skew_ms),
    enrolled_at: row.enrolled_at.toISOString(),
    certificate_expires_at: row.cert_not_after.toISOString(),
    upgrade_required: row.upgrade_required,
  };
}
