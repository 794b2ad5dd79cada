import type { Bus } from '#bus';
import type { Telemetry } from '#telemetry';
import type { createAudit } from '../features/audit/index.ts';
import type { createCardinality } from '../features/cardinality/index.ts';
import type { createDiskShares } from '../features/disk-shares/index.ts';
import type { createEndpoint } from '../features/endpoint/index.ts';
import type { createEndpointIntake } from '../features/endpoint-intake/index.ts';
import type { createFleet } from '../features/fleet/index.ts';
import type { createIdentity } from '../features/identity/index.ts';
import type { createLifecycle } from '../features/lifecycle/index.ts';
import type { createOtlp } from '../features/otlp/index.ts';
import type { createOtlpStore } from '../features/otlp-store/index.ts';
import type { createOtlpTokens } from '../features/otlp-tokens/index.ts';
import type { createQuarantine } from '../features/quarantine/index.ts';
import type { createResults } from '../features/results/index.ts';
import type { createSelfMetrics } from '../features/self-metrics/index.ts';

/** Slices by the names under which others are given functions of them. */
export type Audit = ReturnType<typeof createAudit>;
export type Cardinality = ReturnType<typeof createCardinality>;
export type DiskShares = ReturnType<typeof createDiskShares>;
export type Endpoint = ReturnType<typeof createEndpoint>;
export type EndpointIntake = ReturnType<typeof createEndpointIntake>;
export type Fleet = ReturnType<typeof createFleet>;
export type Identity = ReturnType<typeof createIdentity>;
export type Lifecycle = ReturnType<typeof createLifecycle>;
export type Otlp = ReturnType<typeof createOtlp>;
export type OtlpStore = ReturnType<typeof createOtlpStore>;
export type OtlpTokens = ReturnType<typeof createOtlpTokens>;
export type Quarantine = ReturnType<typeof createQuarantine>;
export type Results = ReturnType<typeof createResults>;
export type SelfMetrics = ReturnType<typeof createSelfMetrics> & {
  /** The bus, timed. Consumers read the one of `quarantine`, which is this one with a place for what they cannot handle. */
  timedBus: Bus;
  /** The column store, timed. */
  telemetry: Telemetry;
};
