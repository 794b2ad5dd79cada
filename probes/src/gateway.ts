import type { ProbeMethod } from '@svc/native/path/path';
import type { Reading } from '@svc/native/reading';

export interface GatewayRequest {
  /** Destination of the route look-up and of UDP probes with TTL 1: the first trace target's address, default 192.0.2.1. */
  readonly towards?: string;
  /** Probes, 1 to 100, default 5. */
  readonly count?: number;
  readonly intervalMs?: number;
  /** Silence after which a probe counts as lost, default 1000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface GatewayMeasurement {
  readonly address: string;
  /** `public` addresses are the caller's to withhold. */
  readonly addressClass: 'private' | 'public';
  readonly family: 4 | 6;
  readonly interfaceName: string;
  readonly method: ProbeMethod;
  /** At least one probe came back. */
  readonly reachable: boolean;
  readonly sent: number;
  readonly lost: number;
  readonly lossRatio: number;
  readonly rttsMs: readonly number[];
  readonly rttAvgMs: number | null;
  readonly rttMinMs: number | null;
  readonly rttMaxMs: number | null;
  readonly durationMs: number;
}

/** `no_target`: no route, or none with a gateway of one's own (100.64/10 is the carrier's); `tunnel`: all goes into a VPN. */
export type MeasureGateway = (request: GatewayRequest) => Promise<Reading<GatewayMeasurement>>;
