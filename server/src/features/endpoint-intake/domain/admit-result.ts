import type { WireResult } from '@svc/contracts/agent/messages';
import { ENDPOINT_TYPES, RESULT_BOUNDS } from '@svc/contracts/results/canonical-result';

/** Why a result was refused; short, without anything of its content. */
export type Refusal = { refused: string };
/** One canonical result as JSON text. */
export type Admitted = { json: string };

/** Who sent it, as the certificate says, and when it came, Unix microseconds. */
export interface Admission {
  tenant: string;
  agentId: string;
  receivedAtUs: number;
}

/** Results older than this are refused: they would be past their retention at once. */
export const MAX_AGE_DAYS = 31;

const TYPES: ReadonlySet<string> = new Set(ENDPOINT_TYPES);
const KEY = /^[A-Za-z0-9][A-Za-z0-9._<>:/-]*$/;
// No type of ours can hold a hardware address; a key that names one means that somebody collects it anyway.
const HARDWARE_ADDRESS_KEY = /bssid|(?:^|[._-])mac(?:[._-]|$)|mac[._-]?addr/i;
const NO_HARDWARE_ADDRESS = 'a hardware address is never taken';
const MAX_SERVER_ADDRESS = 256;
const DAY_US = 86_400_000_000;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const DASH_BEFORE = new Set([4, 6, 8, 10]);

/** Text of a UUIDv7, or undefined for other bytes. */
function readUuidV7(bytes: Uint8Array | undefined): string | undefined {
  if (bytes?.length !== 16 || (bytes[6] ?? 0) >> 4 !== 7 || (bytes[8] ?? 0) >> 6 !== 2) return undefined;
  let text = '';
  for (let i = 0; i < 16; i += 1) text += (DASH_BEFORE.has(i) ? '-' : '') + HEX[bytes[i] ?? 0];
  return text;
}

/** RFC 3339 with as many digits as are needed. */
function formatInstant(us: number): string {
  const ms = Math.floor(us / 1000);
  const iso = new Date(ms).toISOString();
  const rest = us - ms * 1000;
  return rest === 0 ? iso : `${iso.slice(0, -1)}${String(rest).padStart(3, '0')}Z`;
}

/** Keys found good, remembered: a few hundred make all results, and a device that invents them fills no memory. */
const GOOD_KEYS = new Set<string>();
const MAX_GOOD_KEYS = 2000;

type KeyFault = 'not valid' | 'hardware address';

function faultOfKey(key: string): KeyFault | undefined {
  if (GOOD_KEYS.has(key)) return undefined;
  if (key.length > RESULT_BOUNDS.keyLength || !KEY.test(key)) return 'not valid';
  if (HARDWARE_ADDRESS_KEY.test(key)) return 'hardware address';
  if (GOOD_KEYS.size < MAX_GOOD_KEYS) GOOD_KEYS.add(key);
  return undefined;
}

/** Text that every store takes: no NUL, no half of a surrogate pair. */
const isText = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

function refuseMetrics(metrics: Record<string, number>): string | undefined {
  let count = 0;
  for (const key in metrics) {
    count += 1;
    if (count > RESULT_BOUNDS.metrics) return `more than ${RESULT_BOUNDS.metrics} metrics`;
    const fault = faultOfKey(key);
    if (fault !== undefined) return fault === 'not valid' ? 'a metric key is not valid' : NO_HARDWARE_ADDRESS;
    if (!Number.isFinite(metrics[key])) return 'a metric is not a finite number';
  }
  return undefined;
}

function refuseAttributes(attributes: Record<string, string>): string | undefined {
  let count = 0;
  for (const key in attributes) {
    count += 1;
    if (count > RESULT_BOUNDS.attributes) return `more than ${RESULT_BOUNDS.attributes} attributes`;
    const fault = faultOfKey(key);
    if (fault !== undefined) return fault === 'not valid' ? 'an attribute key is not valid' : NO_HARDWARE_ADDRESS;
    const value = attributes[key] ?? '';
    if (value.length > RESULT_BOUNDS.valueLength) return 'an attribute value is too long';
    if (!isText(value)) return 'an attribute value is no text';
  }
  return undefined;
}

function refuseFields(result: WireResult, receivedAtUs: number): string | undefined {
  if (!TYPES.has(result.canary_type)) return 'canary_type is not one of an endpoint';
  if (result.server_address.length > MAX_SERVER_ADDRESS) return 'server_address is too long';
  if (!(result.server_port >= 0 && result.server_port <= 65_535)) return 'server_port is not a port';
  if (!(result.success >= 0 && result.success <= 2)) return 'success is not 0, 1 or 2';
  if (result.error.length > RESULT_BOUNDS.errorLength) return 'error is too long';
  if (!isText(result.server_address) || !isText(result.error)) return 'server_address or error is no text';
  if (!Number.isFinite(result.duration_ms)) return 'duration_ms is not a finite number';
  if (!Number.isSafeInteger(result.started_at_us) || result.started_at_us < receivedAtUs - MAX_AGE_DAYS * DAY_US) {
    return `started_at is missing or more than ${MAX_AGE_DAYS} days ago`;
  }
  if (!result.present && Object.keys(result.metrics).length > 0) return 'a result that is not present has metrics';
  return undefined;
}

/**
 * One result of an agent as canonical JSON, with tenant and agent from its credential and a start in the future clamped to the
 * time of receipt; or why it is refused. The hot path: written by hand, held against the schema of contracts by its test.
 */
export function admitResult(result: WireResult, admission: Admission): Admitted | Refusal {
  const id = readUuidV7(result.result_id);
  if (id === undefined) return { refused: 'result_id is no UUIDv7' };
  const refused =
    refuseFields(result, admission.receivedAtUs) ?? refuseMetrics(result.metrics) ?? refuseAttributes(result.attributes);
  if (refused !== undefined) return { refused };
  const startedAtUs = Math.min(result.started_at_us, admission.receivedAtUs);
  // Undefined fields are left out by JSON.stringify: absent is how the envelope says "not there".
  const json = JSON.stringify({
    result_id: id,
    tenant_id: admission.tenant,
    agent_id: admission.agentId,
    canary_type: result.canary_type,
    server_address: result.server_address === '' ? undefined : result.server_address,
    server_port: result.server_port === 0 ? undefined : result.server_port,
    success: result.success === 0 ? undefined : result.success === 1,
    error: result.error === '' ? undefined : result.error,
    started_at: formatInstant(startedAtUs),
    duration_ms: result.duration_ms < 0 ? undefined : result.duration_ms,
    present: result.present,
    metrics: result.metrics,
    attributes: result.attributes,
  });
  return { json };
}
