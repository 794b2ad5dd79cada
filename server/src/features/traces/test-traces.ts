import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { createCallerFactory } from '#api';
import type { TenantId } from '#kernel';
import { type ColumnStore, createMemoryTelemetry, type MemoryTables, openTelemetry, type Telemetry, tablesOf } from '#telemetry';
import { createTraces } from './index.ts';

/** What all of it has the same answers on. */
export const PLACES = ['chDB', 'memory'] as const;

export const NOW = Date.parse('2026-11-21T12:00:00Z');
export const MS = 1_000_000n;
/** Ten minutes ago. */
export const BASE = BigInt(NOW - 600_000) * MS;

export const idOf = (n: number): string => n.toString(16).padStart(16, '0');
export const traceOf = (n: number): string => n.toString(16).padStart(32, '0');

/** The slice's procedures as a person of a tenant calls them, at `NOW`. */
export const callerOf = (telemetry: Pick<Telemetry, 'store' | 'memory' | 'readers'>, tenant: TenantId) =>
  createCallerFactory(createTraces({ telemetry, clock: { now: () => NOW } }).procedures)({
    requestId: 'test',
    ctx: { requestId: 'test', principal: { kind: 'account', id: 'a', tenant, permissions: new Set(['otlp.read' as const]) } },
  });

export interface OpenStore {
  telemetry: Telemetry;
  store: ColumnStore | MemoryTables;
  close(): Promise<void>;
}

/** An empty store of its own. */
export async function openStore(place: (typeof PLACES)[number]): Promise<OpenStore> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-traces-'));
  const migrationsDir = fileURLToPath(new URL('../../../../clickhouse/migrations', import.meta.url));
  const log = pino({ level: 'silent' });
  const telemetry =
    place === 'memory' ? createMemoryTelemetry({ now: () => NOW }) : await openTelemetry({ dataDir: folder, migrationsDir, log });
  return {
    telemetry,
    store: tablesOf(telemetry),
    async close() {
      await telemetry.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
