import type { CanonicalResult } from '@svc/contracts/results/canonical-result';
import { ERRORS_KEY, FAILED_REQUESTS_KEY, VIEW_ATTRIBUTES, VITAL_KEYS } from '@svc/contracts/rum/canonical-view';
import { VITALS, type Vital } from '@svc/contracts/rum/kinds';

/** A view as it is stored. */
export interface ViewRow {
  app: string;
  host: string;
  page: string;
  browser: string;
  receivedAtMs: number;
  resultId: string;
  vitals: Readonly<Partial<Record<Vital, number>>>;
  errors: number;
  failedRequests: number;
}

const DAY_MS = 86_400_000;
/** Older views are past their retention; a clock that is further ahead has gone wrong. */
export const VIEWS_KEPT_MS = 30 * DAY_MS;
const AHEAD_MS = 3_600_000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MAX_COUNT = 10_000;

const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? Math.min(value, MAX_COUNT) : 0;

/** Bytes of one message of RUM events as a view; undefined for what is none: the slice `results` says so and sets it aside. */
export function readView(bytes: Buffer, tenant: string, nowMs: number): ViewRow | undefined {
  let result: CanonicalResult;
  try {
    result = JSON.parse(bytes.toString('utf8')) as CanonicalResult;
  } catch {
    return undefined;
  }
  const { result_id: resultId, canary_type: type, server_address: host, metrics, attributes } = result ?? {};
  if (result?.tenant_id !== tenant || type !== 'rum' || !UUID.test(resultId) || typeof host !== 'string') return undefined;
  if (typeof metrics !== 'object' || metrics === null || typeof attributes !== 'object' || attributes === null) return undefined;
  const {
    [VIEW_ATTRIBUTES.app]: app,
    [VIEW_ATTRIBUTES.page]: page = '/',
    [VIEW_ATTRIBUTES.browser]: browser = 'other',
  } = attributes;
  const receivedAtMs = Date.parse(result.started_at);
  if (typeof app !== 'string' || app === '') return undefined;
  if (!(receivedAtMs > nowMs - VIEWS_KEPT_MS && receivedAtMs < nowMs + AHEAD_MS)) return undefined;
  const vitals: Partial<Record<Vital, number>> = {};
  for (const vital of VITALS) {
    const value = metrics[VITAL_KEYS[vital]];
    if (typeof value === 'number' && Number.isFinite(value)) vitals[vital] = value;
  }
  const [errors, failedRequests] = [countOf(metrics[ERRORS_KEY]), countOf(metrics[FAILED_REQUESTS_KEY])];
  return { app, host, page, browser, receivedAtMs, resultId, vitals, errors, failedRequests };
}
