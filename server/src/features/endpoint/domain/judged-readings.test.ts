import { decodeJudged, encodeJudged } from '@svc/contracts/judged/codec';
import { readVerdict } from '@svc/contracts/judged/read-verdict';
import { measureWords } from '@svc/contracts/judged/sentence';
import { makeVerdicts } from '@svc/contracts/judged/test-verdicts';
import type { CanonicalResult, EndpointType } from '@svc/contracts/results/canonical-result';
import { describe, expect, it } from 'vitest';
import { summaryWords } from './judged-row.ts';
import { type AgentReadings, emptyReadings, foldResult } from './readings.ts';

const START = Date.UTC(2026, 10, 21, 12);
const make = (type: EndpointType, minute: number, part: Partial<CanonicalResult> = {}): CanonicalResult => ({
  result_id: '01890a5d-ac96-774b-bcce-b302099a8057',
  tenant_id: 'acme',
  agent_id: 'a',
  canary_type: type,
  started_at: new Date(START + minute * 60_000).toISOString(),
  present: true,
  metrics: {},
  attributes: {},
  ...part,
});
const foldAll = (results: readonly CanonicalResult[]) => {
  const agent: AgentReadings = { readings: emptyReadings(), sessions: {} };
  for (const result of results) foldResult(agent, result);
  return agent.readings;
};
const path = (minute: number, rtt: number, loss: number) =>
  make('endpoint.lastmile', minute, {
    metrics: { 'segment.isp-edge.rtt.avg.ms': rtt, 'segment.isp-edge.packet.loss.ratio': loss },
  });
const SLOW_ISP = '{"isp_loss_ratio":[0.03076923076923077,0.02,65,2],"isp_rtt_ms":[133,80]}';
const verdict = (minute: number, judged: string, attributes: Record<string, string> = {}) =>
  make('endpoint.attribution', minute, {
    metrics: { confidence: 0.9, 'score.isp': 39 },
    attributes: { 'endpoint.cause': 'isp', 'endpoint.judged': judged, ...attributes },
  });
const healthAfter = (cause: string, judged: string) => {
  const { health, faultKind } = foldAll([verdict(1, judged, { 'endpoint.cause': cause })]);
  return { health, faultKind };
};
const slow = { ispRttMs: 133, ispLossRatio: 2 / 65 };

describe('how well a device is', () => {
  it('is healthy only where all was measured and nothing is off', () => {
    expect(healthAfter('none', '{"$coverage":"123/123"}')).toEqual({ health: 'healthy', faultKind: null });
    expect(healthAfter('none', '{"$coverage":"12/123"}')).toEqual({ health: 'partial', faultKind: null });
    expect(healthAfter('none', '{"$coverage":"1/123","$measuring":"23"}')).toEqual({ health: 'measuring', faultKind: null });
    expect(healthAfter('none', '{"$fault":["path_loss",null,null,0.2,null,4,9],"$coverage":"123/123"}')).toEqual({
      health: 'off',
      faultKind: 'path_loss',
    });
    expect(healthAfter('network', '{"$fault":["certificate","crm.example","CERT_HAS_EXPIRED"]}')).toEqual({
      health: 'slow',
      faultKind: 'certificate',
    });
  });

  it('is not known of what cannot be read, and goes with the verdict that said it', () => {
    expect(healthAfter('none', 'no verdict')).toEqual({ health: null, faultKind: null });
    const fault = verdict(1, '{"$fault":["mtu","crm.example"]}', { 'endpoint.cause': 'network' });
    const later = make('endpoint.attribution', 2, { attributes: { 'endpoint.cause': 'none' } });
    expect(foldAll([fault, later])).toMatchObject({ cause: 'none', health: null, faultKind: null });
  });
});

describe('the row of a device that says what it judged', () => {
  it('shows what was judged, not what one trace of it saw', () => {
    expect(foldAll([path(0, 131, 0), verdict(1, SLOW_ISP)])).toMatchObject({ ...slow, judged: SLOW_ISP });
    expect(foldAll([path(0, 131, 0), verdict(1, SLOW_ISP), path(5, 20, 0)])).toMatchObject(slow);
  });

  it('comes to the same whatever arrives first', () => {
    for (const results of [
      [path(0, 131, 0), verdict(1, SLOW_ISP), path(5, 20, 0), make('endpoint.wifi', 2, { metrics: { 'rssi.dbm': -60 } })],
      [verdict(1, SLOW_ISP), path(12, 20, 0.5)],
      [path(0, 131, 0), verdict(1, '{}', { 'unavailable.score.isp': 'tunnel' })],
    ])
      expect(foldAll([...results].reverse())).toEqual(foldAll(results));
  });

  it('shows the readings again once the verdict is too old to be shown, or names them no more', () => {
    expect(foldAll([verdict(1, SLOW_ISP), path(12, 20, 0)])).toMatchObject({ ispRttMs: 20, ispLossRatio: 0 });
    const unjudged = verdict(2, '{}', { 'unavailable.score.isp': 'tunnel' });
    expect(foldAll([verdict(1, SLOW_ISP), unjudged])).toMatchObject({ ispRttMs: null, ispRttWhy: 'tunnel', ispLossRatio: null });
    expect(foldAll([verdict(1, SLOW_ISP), unjudged, path(3, 20, 0)])).toMatchObject({ ispRttMs: 20 });
  });

  it('begins when its device says, and never later than the verdict itself', () => {
    const at = (minute: number) => START + minute * 60_000;
    const since = (minute: number) => ({ 'endpoint.since': new Date(at(minute)).toISOString() });
    expect(foldAll([verdict(30, SLOW_ISP, since(4))])).toMatchObject({ verdictSince: at(4) });
    expect(foldAll([verdict(30, SLOW_ISP, since(31))])).toMatchObject({ verdictSince: at(30) });
    expect(foldAll([verdict(30, SLOW_ISP, { 'endpoint.since': 'lately' })])).toMatchObject({ verdictSince: at(30) });
  });

  it('keeps readings as they are where the text of measures cannot be read', () => {
    expect(foldAll([path(0, 131, 0), verdict(1, '{"isp_rtt_ms":"133"}')])).toMatchObject({ ispRttMs: 131, judged: null });
  });

  it('tells a sentence, a row and measures of equal values, over generated devices', () => {
    for (const { cause, measures, layers, since } of makeVerdicts(500, 3)) {
      const scores = Object.fromEntries(
        layers.flatMap(({ layer, score }) => (score === null ? [] : [[`score.${layer}`, score]])),
      );
      const result = make('endpoint.attribution', 1, {
        metrics: { ...scores, confidence: 0.9 },
        attributes: { 'endpoint.cause': cause, 'endpoint.judged': encodeJudged(measures) },
      });
      const row = foldAll([result]);
      const read = decodeJudged(row.judged ?? '') ?? [];
      const { decided } = readVerdict({ cause, since, measures: read });
      const value = (name: (typeof measures)[number]['measure']) => read.find((one) => one.measure === name)?.value ?? null;
      expect([row.wifiRssiDbm, row.wifiSignalPercent]).toEqual([value('wifi_rssi_dbm'), value('wifi_signal_percent')]);
      expect([row.gatewayRttMs, row.gatewayLossRatio]).toEqual([value('gateway_rtt_ms'), value('gateway_loss_ratio')]);
      expect([row.ispRttMs, row.ispLossRatio]).toEqual([value('isp_rtt_ms'), value('isp_loss_ratio')]);
      if (value('sessions_failed') === null) expect(row.worstSessionMs).toBe(value('session_total_ms'));
      if (decided?.measure.endsWith('_ms'))
        expect(summaryWords({ cause, since, measures: read })).toContain(measureWords(decided));
    }
  });
});
