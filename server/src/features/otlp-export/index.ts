import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import { GROUPS, TOPICS } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import type { Bus, Subscription } from '#bus';
import {
  type AuditEntry,
  type Clock,
  type Count,
  EVERY_ROLE,
  type HasRole,
  keepsNothing,
  type Slice,
  type TenantId,
} from '#kernel';
import type { Relational, TenantSql } from '#relational';
import { createExportProcedures, type ExportStatus } from './api.ts';
import type { OtlpExportConfig } from './config.ts';
import { createExportHandler } from './consume.ts';
import { createExporter, type Exporter } from './exporter.ts';
import { createSender } from './sender.ts';
import { createSendTestPoint } from './test-point.ts';

/** Everything that carries canonical results. */
const CONSUMED = [TOPICS.endpointResults, TOPICS.networkResults, TOPICS.rumEvents] as const;
const BATCH = { maxMessages: 1000, maxBytes: 4 * 1024 * 1024, lingerMs: 500 } as const;

export interface OtlpExportDeps {
  config: OtlpExportConfig;
  bus: Bus;
  collectOwn: () => Promise<ResourceMetrics>;
  relational: Relational;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  version: string;
  clock: Clock;
  log: FastifyBaseLogger;
}

const instant = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

function statusOf(
  { url, protocol, intervalSeconds }: OtlpExportConfig,
  exporter: Exporter | undefined,
  tenant: TenantId,
): ExportStatus {
  const tally = exporter?.tally(tenant);
  const error = tally?.lastError;
  return {
    endpoint: url ? new URL(url).origin : null,
    protocol: url ? protocol : null,
    interval_seconds: url ? intervalSeconds : null,
    queued: exporter?.queued(tenant) ?? 0,
    sent: tally?.sent ?? 0,
    dropped: tally?.dropped ?? 0,
    last_sent_at: instant(tally?.lastSentAtMs),
    last_error: error ? { at: new Date(error.atMs).toISOString(), words: error.words } : null,
  };
}

/**
 * Metrics out to SVC_OTLP_EXPORT_URL (docs/operate.md): this process' own, and what the results of every tenant say.
 * Without that URL nothing is read and nothing is sent.
 */
export function createOtlpExport(deps: OtlpExportDeps) {
  const { config, bus, collectOwn, version, clock, log } = deps;
  const sender = config.url === undefined ? undefined : createSender(config, config.url);
  const intervalMs = config.intervalSeconds * 1000;
  const subscriptions: Subscription[] = [];
  let exporter: Exporter | undefined;
  return {
    name: 'otlp-export',
    roles: EVERY_ROLE,
    procedures: createExportProcedures({
      status: ({ principal }) => statusOf(config, exporter, principal.tenant),
      sendTestPoint: createSendTestPoint({ ...deps, sender }),
    }),
    data: keepsNothing('what waits to be sent is in memory'),
    async start(hasRole: HasRole) {
      if (!sender) return;
      exporter = createExporter({ sender, collectOwn, version, intervalMs, clock, log });
      if (!hasRole('consume')) return;
      const handle = createExportHandler({ exporter, clock });
      for (const topic of CONSUMED)
        subscriptions.push(await bus.subscribe({ topic, group: GROUPS.otlpExport, ...BATCH }, handle));
    },
    async close() {
      await Promise.all(subscriptions.map((subscription) => subscription.close()));
      await (exporter ?? sender)?.close();
    },
    /** Points by owner. */
    counts: (): Count[] => [
      { name: 'svc.export.queue', value: exporter?.queued() ?? 0 },
      ...(exporter?.tallies() ?? []).flatMap(({ owner, sent, dropped }): Count[] => [
        { name: 'svc.export.points', value: sent, attributes: { owner, outcome: 'sent' } },
        { name: 'svc.export.points', value: dropped, attributes: { owner, outcome: 'dropped' } },
      ]),
    ],
  } satisfies Slice & Record<string, unknown>;
}
