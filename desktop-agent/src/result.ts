import type { WireResult } from '@svc/contracts/agent/messages';
import type { CanonicalResult, EndpointType } from '@svc/contracts/results/canonical-result';
import type { UnavailableCode } from '@svc/contracts/verdict';

/** The canonical result as it exists on a device: tenant and agent come from the credential, never from here. */
export type EndpointResult = Omit<CanonicalResult, 'tenant_id' | 'agent_id' | 'canary_type'> & { canary_type: EndpointType };

/** When and under which id one measurement was made; the id stays the same over every retry. */
export interface Stamp {
  /** UUIDv7. */
  resultId: string;
  /** Unix time of its start, milliseconds, this device's clock. */
  startedAtMs: number;
  durationMs?: number;
}

/** A metric or attribute that was looked for: its value, or why there is none. Left out where nothing is to be said. */
export type Field<T> = { value: T } | { unavailable: UnavailableCode } | undefined;

/** Collects the fields of one result; an unavailable one becomes `unavailable.<key>`. */
export interface Fields {
  metric(key: string, field: Field<number>): void;
  attribute(key: string, field: Field<string>): void;
}

export function createFields(result: EndpointResult): Fields {
  const lacks = (key: string, code: UnavailableCode): void => {
    result.attributes[`unavailable.${key}`] = code;
  };
  return {
    metric(key, field) {
      if (field === undefined) return;
      if ('unavailable' in field) lacks(key, field.unavailable);
      else if (Number.isFinite(field.value)) result.metrics[key] = field.value;
    },
    attribute(key, field) {
      if (field === undefined) return;
      if ('unavailable' in field) lacks(key, field.unavailable);
      else if (field.value !== '') result.attributes[key] = field.value.slice(0, 1024);
    },
  };
}

export const emptyResult = (type: EndpointType, stamp: Stamp): EndpointResult => ({
  result_id: stamp.resultId,
  canary_type: type,
  started_at: new Date(stamp.startedAtMs).toISOString(),
  ...(stamp.durationMs === undefined ? {} : { duration_ms: Math.max(0, round(stamp.durationMs)) }),
  present: true,
  metrics: {},
  attributes: {},
});

/** A signal that could not be measured at all: no metrics, one reason under the key that stands for the whole. */
export function absentResult(type: EndpointType, stamp: Stamp, absence: { key: string; code: UnavailableCode }): EndpointResult {
  const result = emptyResult(type, stamp);
  result.present = false;
  result.attributes[`unavailable.${absence.key}`] = absence.code;
  return result;
}

/** Microseconds are what the measurements are good for; more digits only cost bytes. */
export const round = (value: number): number => Math.round(value * 1000) / 1000;

/** Short codes such as ETIMEDOUT or HTTP_503 pass; anything longer could hold an address or a name and is cut to one word. */
export const safeError = (error: string): string =>
  /^[\w.: -]{1,64}$/.test(error) && !/\d\.\d+\.\d|::/.test(error) ? error : 'failed';

const bytesOfUuid = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

export function toWire(result: EndpointResult): WireResult {
  return {
    result_id: bytesOfUuid(result.result_id),
    canary_type: result.canary_type,
    server_address: result.server_address ?? '',
    server_port: result.server_port ?? 0,
    success: result.success === undefined ? 0 : result.success ? 1 : 2,
    error: result.error ?? '',
    started_at_us: Date.parse(result.started_at) * 1000,
    duration_ms: result.duration_ms ?? -1,
    present: result.present,
    metrics: result.metrics,
    attributes: result.attributes,
  };
}

/** The reverse of toWire, for the ledger and for tests; optional fields that say nothing are left out again. */
export function fromWire(wire: WireResult): EndpointResult {
  const hex = Buffer.from(wire.result_id).toString('hex');
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  return {
    result_id: id,
    canary_type: wire.canary_type as EndpointType,
    ...(wire.server_address ? { server_address: wire.server_address } : {}),
    ...(wire.server_port ? { server_port: wire.server_port } : {}),
    ...(wire.success ? { success: wire.success === 1 } : {}),
    ...(wire.error ? { error: wire.error } : {}),
    started_at: new Date(wire.started_at_us / 1000).toISOString(),
    ...(wire.duration_ms >= 0 ? { duration_ms: wire.duration_ms } : {}),
    present: wire.present,
    metrics: { ...wire.metrics },
    attributes: { ...wire.attributes },
  };
}
