import type { CanonicalResult } from '../results/canonical-result.ts';
import type { Browser, Vital } from './kinds.ts';

/** A page view as it travels on the bus in the canonical envelope (docs/contract/rum.md). */

/** Key of each vital in `metrics`; those without a unit in their name have none. */
export const VITAL_KEYS: Readonly<Record<Vital, string>> = {
  lcp: 'lcp.ms',
  inp: 'inp.ms',
  cls: 'cls',
  ttfb: 'ttfb.ms',
  fcp: 'fcp.ms',
  load: 'load.ms',
};
export const ERRORS_KEY = 'errors';
export const FAILED_REQUESTS_KEY = 'failed_requests';

export const VIEW_ATTRIBUTES = {
  app: 'app.name',
  page: 'url.path',
  browser: 'browser.name',
  sdk: 'telemetry.sdk.version',
} as const;

/** One view, admitted: canonical host, normalised page, the server's clock. */
export interface PageView {
  resultId: string;
  /** Of the key that it came with. */
  tenant: string;
  app: string;
  host: string;
  page: string;
  browser: Browser;
  vitals: Readonly<Partial<Record<Vital, number>>>;
  errors: number;
  failedRequests: number;
  sdk: string | undefined;
  /** Unix milliseconds. */
  receivedAtMs: number;
}

export function toCanonicalView(view: PageView): CanonicalResult {
  const metrics: Record<string, number> = { [ERRORS_KEY]: view.errors, [FAILED_REQUESTS_KEY]: view.failedRequests };
  for (const [vital, value] of Object.entries(view.vitals) as [Vital, number | undefined][])
    if (value !== undefined) metrics[VITAL_KEYS[vital]] = value;
  const attributes: Record<string, string> = {
    [VIEW_ATTRIBUTES.app]: view.app,
    [VIEW_ATTRIBUTES.page]: view.page,
    [VIEW_ATTRIBUTES.browser]: view.browser,
  };
  if (view.sdk !== undefined) attributes[VIEW_ATTRIBUTES.sdk] = view.sdk;
  return {
    ...{ result_id: view.resultId, tenant_id: view.tenant, agent_id: '', canary_type: 'rum' },
    ...{ server_address: view.host, started_at: new Date(view.receivedAtMs).toISOString(), present: true },
    ...{ metrics, attributes },
  };
}
