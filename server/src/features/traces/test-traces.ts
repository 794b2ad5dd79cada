import { createCallerFactory } from '#api';
import type { TenantId } from '#kernel';
import type { Telemetry } from '#telemetry';
import { createTraces } from './index.ts';

export const NOW = Date.parse('2026-11-21T12:00:00Z');
export const MS = 1_000_000n;
/** Ten minutes ago. */
export const BASE = BigInt(NOW - 600_000) * MS;

export const idOf = (n: number): string => n.toString(16).padStart(16, '0');
export const traceOf = (n: number): string => n.toString(16).padStart(32, '0');

/** The slice's procedures as a person of a tenant calls them, at `NOW`. */
export const callerOf = (telemetry: Pick<Telemetry, 'store'>, tenant: TenantId) =>
  createCallerFactory(createTraces({ telemetry, clock: { now: () => NOW } }).procedures)({
    requestId: 'test',
    ctx: { requestId: 'test', principal: { kind: 'account', id: 'a', tenant, permissions: new Set(['otlp.read' as const]) } },
  });
