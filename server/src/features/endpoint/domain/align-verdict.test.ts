import type { EndpointRow } from '@svc/contracts/endpoint-view';
import { describe, expect, it } from 'vitest';
import { alignVerdict } from './align-verdict.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const row = (verdict: EndpointRow['verdict']) =>
  ({ verdict, summary: 'of the row', confidence: 0.6, verdict_since: '2026-11-21T09:00:00.000Z' }) as EndpointRow;
const scores = (cause: string, atMs = AT) => ({
  type: 'endpoint.attribution',
  target: '',
  startedAtMs: atMs,
  present: true,
  metrics: { confidence: 0.9 },
  attributes: { 'endpoint.cause': cause, 'endpoint.summary': `because ${cause}` },
});

describe('the verdict of a device page', () => {
  it('is that of its scores, whichever store is ahead', () => {
    for (const atMs of [AT - 60_000, AT + 60_000]) {
      const { endpoint, attribution } = alignVerdict(row('wifi'), AT, scores('isp', atMs));
      expect(endpoint).toMatchObject({ verdict: 'isp', summary: 'because isp', confidence: 0.9 });
      expect(endpoint.verdict_since).toBe(new Date(atMs).toISOString());
      expect(attribution?.startedAtMs).toBe(atMs);
    }
  });

  it('goes on since when it began', () => {
    expect(alignVerdict(row('wifi'), AT, scores('wifi', AT + 60_000)).endpoint).toMatchObject({
      verdict_since: '2026-11-21T09:00:00.000Z',
      summary: 'because wifi',
    });
  });

  it('stands alone beside scores of long ago, and a state keeps its last scores', () => {
    const old = scores('isp', AT - 3_600_000);
    expect(alignVerdict(row('wifi'), AT, old)).toEqual({ endpoint: row('wifi'), attribution: undefined });
    expect(alignVerdict(row('paused'), AT, old)).toEqual({ endpoint: row('paused'), attribution: old });
    expect(alignVerdict(row('pending'), null, undefined)).toEqual({ endpoint: row('pending'), attribution: undefined });
  });
});
