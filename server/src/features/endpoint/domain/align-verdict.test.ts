import type { EndpointRow } from '@svc/contracts/endpoint/view';
import { describe, expect, it } from 'vitest';
import { alignVerdict } from './align-verdict.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const row = (verdict: EndpointRow['verdict']) =>
  ({
    verdict,
    judged: [],
    summary: 'of the row',
    confidence: 0.6,
    verdict_since: '2026-11-21T09:00:00.000Z',
  }) as unknown as EndpointRow;
const scores = (cause: string, atMs = AT, attributes: Record<string, string> = {}) => ({
  type: 'endpoint.attribution',
  target: '',
  startedAtMs: atMs,
  present: true,
  metrics: { confidence: 0.9 },
  attributes: { 'endpoint.cause': cause, ...attributes },
});

describe('the verdict of a device page', () => {
  it('is that of its scores, whichever store is ahead', () => {
    for (const atMs of [AT - 60_000, AT + 60_000]) {
      const { endpoint, attribution } = alignVerdict(row('wifi'), AT, scores('isp', atMs));
      expect(endpoint).toMatchObject({ verdict: 'isp', confidence: 0.9 });
      expect(endpoint.summary).toMatch(/^Slow because of the ISP since 2026-11-21 1[12]:\d\d UTC\.$/);
      expect(endpoint.verdict_since).toBe(new Date(atMs).toISOString());
      expect(attribution?.startedAtMs).toBe(atMs);
    }
  });

  it('goes on since when it began', () => {
    expect(alignVerdict(row('wifi'), AT, scores('wifi', AT + 60_000)).endpoint).toMatchObject({
      verdict_since: '2026-11-21T09:00:00.000Z',
      summary: 'Slow because of Wi-Fi since 2026-11-21 09:00 UTC.',
    });
  });

  it('has the values and the beginning that its scores came with, in sentence and cells alike', () => {
    const judged = '{"isp_loss_ratio":[0.03,0.02,65,2],"isp_rtt_ms":[133,80]}';
    const since = '2026-11-21T11:30:00.000Z';
    const { endpoint } = alignVerdict(row('isp'), AT, scores('isp', AT, { 'endpoint.judged': judged, 'endpoint.since': since }));
    expect(endpoint).toMatchObject({ isp_rtt_ms: { value: 133 }, isp_loss_ratio: { value: 0.03 }, verdict_since: since });
    expect(endpoint.summary).toContain('has been taking 133\u202fms to answer since 2026-11-21 11:30 UTC');
    expect(endpoint.judged?.map(({ measure }) => measure)).toEqual(['isp_loss_ratio', 'isp_rtt_ms']);
  });

  it('stands alone beside scores of long ago, and a state keeps its last scores', () => {
    const old = scores('isp', AT - 3_600_000);
    expect(alignVerdict(row('wifi'), AT, old)).toEqual({ endpoint: row('wifi'), attribution: undefined });
    expect(alignVerdict(row('paused'), AT, old)).toEqual({ endpoint: row('paused'), attribution: old });
    expect(alignVerdict(row('pending'), null, undefined)).toEqual({ endpoint: row('pending'), attribution: undefined });
  });
});
