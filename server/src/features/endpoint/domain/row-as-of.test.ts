import type { EndpointRow } from '@svc/contracts/endpoint/view';
import type { CanonicalResult } from '@svc/contracts/results/canonical-result';
import { describe, expect, it } from 'vitest';
import { type PastWindow, rowAsOf } from './row-as-of.ts';

const START = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;
const at = (minute: number): number => START + minute * MINUTE;
const iso = (minute: number): string => new Date(at(minute)).toISOString();

let made = 0;
const make = (type: string, minute: number, part: Partial<CanonicalResult> = {}): CanonicalResult =>
  ({
    result_id: `r${++made}`,
    tenant_id: 'acme',
    agent_id: 'a1',
    canary_type: type,
    started_at: iso(minute),
    present: true,
    metrics: {},
    attributes: {},
    ...part,
  }) as CanonicalResult;
const verdict = (minute: number, cause: string) =>
  make('endpoint.attribution', minute, {
    metrics: { confidence: 0.7 },
    attributes: { 'endpoint.cause': cause, 'endpoint.summary': `because ${cause}` },
  });

/** The row as it is now: everything but its name is to give way. */
const NOW = {
  ...{ id: 'a1', name: 'LT-1', verdict: 'none', summary: 'now', confidence: 1, verdict_since: iso(900), paused_until: iso(999) },
  ...{ connection: 'wired', gateway_rtt_ms: { value: 1, unavailable: null }, worst_session_ms: { value: 1, unavailable: null } },
  ...{ session_failures: { failed: 9, of: 9, target: 'now', phase: null }, gateway_address: '192.0.2.1' },
} as unknown as EndpointRow;
const WINDOW: PastWindow = { toMs: at(60), results: [], spans: [], silences: [] };

describe('a row as of the end of a window', () => {
  it('is made of what was measured last within it, whatever is now', () => {
    const results = [
      verdict(58, 'isp'),
      make('endpoint.wifi', 57, { metrics: { 'rssi.dbm': -61 } }),
      make('endpoint.session', 50, { server_address: 'crm', success: true, metrics: { 'total.ms': 700 } }),
      make('endpoint.session', 51, {
        server_address: 'mail',
        success: false,
        metrics: { 'total.ms': 34 },
        attributes: { 'error.phase': 'tls' },
      }),
    ];
    expect(rowAsOf(NOW, { ...WINDOW, results })).toMatchObject({
      ...{
        name: 'LT-1',
        verdict: 'isp',
        summary: expect.stringContaining('the ISP'),
        confidence: 0.7,
        verdict_since: iso(58),
        paused_until: null,
      },
      ...{ connection: 'wifi', wifi_rssi_dbm: { value: -61 }, gateway_rtt_ms: { value: null }, gateway_address: null },
      ...{ worst_session_ms: { value: 700 }, worst_session_target: 'crm' },
      session_failures: { failed: 1, of: 2, target: 'mail', phase: 'tls' },
    });
  });

  it('says since when its verdict held, across a gap and before the window as well', () => {
    const spans = [
      { fromMs: at(-90), toMs: at(-60), cause: 'none' as const },
      { fromMs: at(-60), toMs: at(-40), cause: 'isp' as const },
      { fromMs: at(-20), toMs: at(60), cause: 'isp' as const },
    ];
    expect(rowAsOf(NOW, { ...WINDOW, spans, results: [verdict(58, 'isp')] }).verdict_since).toBe(iso(-60));
  });

  it('is silent where the window ends in a silence that came after the last verdict', () => {
    const silences = [{ fromMs: at(30), toMs: at(60), verdict: 'paused' as const }];
    const paused = rowAsOf(NOW, { ...WINDOW, silences, results: [verdict(20, 'wifi')] });
    expect(paused).toMatchObject({ verdict: 'paused', summary: null, verdict_since: null });
    expect(rowAsOf(NOW, { ...WINDOW, silences, results: [verdict(40, 'wifi')] }).verdict).toBe('wifi');
    const over = [{ fromMs: at(30), toMs: at(50), verdict: 'declined' as const }];
    expect(rowAsOf(NOW, { ...WINDOW, silences: over, results: [verdict(20, 'wifi')] }).verdict).toBe('wifi');
  });

  it('claims nothing of an empty window', () => {
    expect(rowAsOf(NOW, WINDOW)).toMatchObject({
      ...{ verdict: 'no_contact', summary: null, confidence: null, verdict_since: null, connection: 'unknown' },
      ...{ worst_session_ms: { value: null, unavailable: null }, session_failures: null, gateway_address: null },
    });
  });
});
