import { CANARY_TYPES, type CanonicalResult, RESULT_BOUNDS } from '@svc/contracts/results/canonical-result';

/** Why a message on the bus is not a result that can be stored. */
export type Refusal = 'not_json' | 'wrong_shape' | 'wrong_tenant' | 'out_of_time';

/** A canonical result with its time as Unix milliseconds. */
export interface TimedResult {
  result: CanonicalResult;
  startedAtMs: number;
}

/** Results older than this are beyond their retention; newer than an hour ahead is a clock gone wrong. */
export const RETENTION_MS = 30 * 24 * 60 * 60_000;
const AHEAD_MS = 60 * 60_000;

const TYPES: ReadonlySet<unknown> = new Set(CANARY_TYPES);
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const isTextUpTo = (max: number, value: unknown): boolean => typeof value === 'string' && value.length <= max;
const isAbsentOr = (value: unknown, check: (value: unknown) => boolean): boolean => value === undefined || check(value);
const isPort = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535;

/** True for a plain map within its bounds whose values all pass. */
function isMapOf(value: unknown, max: number, check: (value: unknown) => boolean): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const map = value as Record<string, unknown>;
  let count = 0;
  for (const key in map) {
    if (++count > max || key.length > RESULT_BOUNDS.keyLength || !check(map[key])) return false;
  }
  return true;
}

const isAttribute = (value: unknown): boolean => isTextUpTo(RESULT_BOUNDS.valueLength, value);

/** The schema of contracts/canonical-result by hand: the producer has checked it once, and this runs ten thousand times a second. */
function isResult(value: unknown): value is CanonicalResult {
  if (typeof value !== 'object' || value === null) return false;
  const r = value as Record<keyof CanonicalResult, unknown>;
  return (
    typeof r.result_id === 'string' &&
    UUID.test(r.result_id) &&
    isTextUpTo(63, r.tenant_id) &&
    isTextUpTo(128, r.agent_id) &&
    TYPES.has(r.canary_type) &&
    isAbsentOr(r.test_id, (text) => isTextUpTo(128, text)) &&
    isAbsentOr(r.server_address, (text) => isTextUpTo(256, text)) &&
    isAbsentOr(r.server_port, isPort) &&
    isAbsentOr(r.success, (flag) => typeof flag === 'boolean') &&
    isAbsentOr(r.error, (text) => isTextUpTo(RESULT_BOUNDS.errorLength, text)) &&
    typeof r.started_at === 'string' &&
    isAbsentOr(r.duration_ms, Number.isFinite) &&
    typeof r.present === 'boolean' &&
    isMapOf(r.metrics, RESULT_BOUNDS.metrics, Number.isFinite) &&
    isMapOf(r.attributes, RESULT_BOUNDS.attributes, isAttribute)
  );
}

/** Bytes of one bus message as a result of this tenant, or why not. `nowMs` decides what is too old or too far ahead. */
export function parseResult(bytes: Buffer, tenant: string, nowMs: number): TimedResult | Refusal {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return 'not_json';
  }
  if (!isResult(value)) return 'wrong_shape';
  if (value.tenant_id !== tenant) return 'wrong_tenant';
  const startedAtMs = Date.parse(value.started_at);
  if (Number.isNaN(startedAtMs)) return 'wrong_shape';
  if (startedAtMs < nowMs - RETENTION_MS || startedAtMs > nowMs + AHEAD_MS) return 'out_of_time';
  return { result: value, startedAtMs };
}
