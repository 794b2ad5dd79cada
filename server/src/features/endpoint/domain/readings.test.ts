import type { CanonicalResult, EndpointType } from '@svc/contracts/results/canonical-result';
import { describe, expect, it } from 'vitest';
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
const verdict = (minute: number, cause: string, confidence = 0.9) =>
  make('endpoint.attribution', minute, {
    metrics: { confidence },
    attributes: { 'endpoint.cause': cause, 'endpoint.summary': `because ${cause}` },
  });
const session = (minute: number, target: string, part: Partial<CanonicalResult>) =>
  make('endpoint.session', minute, {
    server_address: target,
    success: true,
    attributes: { 'svc.session.role': 'target' },
    ...part,
  });
const fresh = (): AgentReadings => ({ readings: emptyReadings(), sessions: {} });
const foldAll = (results: readonly CanonicalResult[], agent = fresh()) => {
  for (const result of results) foldResult(agent, result);
  return agent.readings;
};

describe('folding results into the view', () => {
  it('comes to the same row whatever the order, and however often each comes', () => {
    const results = [
      make('endpoint.wifi', 1, { metrics: { 'rssi.dbm': -60, 'signal.percent': 70 } }),
      make('endpoint.wifi', 3, { metrics: { 'rssi.dbm': -80 }, attributes: { 'unavailable.signal.percent': 'not_supported' } }),
      make('endpoint.gateway', 2, {
        metrics: { 'rtt.avg.ms': 4, 'packet.loss.ratio': 0 },
        attributes: { 'network.gateway.address': '10.0.0.1' },
      }),
      make('endpoint.lastmile', 2, { metrics: { 'segment.isp-edge.rtt.avg.ms': 11 } }),
      session(1, 'crm', { metrics: { 'total.ms': 900 } }),
      session(2, 'mail', { metrics: { 'total.ms': 300 } }),
      session(3, 'crm', { metrics: { 'total.ms': 200 } }),
    ];
    const forward = foldAll(results);
    expect(foldAll([...results].reverse())).toEqual(forward);
    expect(foldAll([...results, ...results])).toEqual(forward);
    expect(forward).toMatchObject({
      connection: 'wifi',
      wifiRssiDbm: -80,
      wifiSignalPercent: null,
      wifiSignalWhy: 'not_supported',
      gatewayRttMs: 4,
      gatewayLossRatio: 0,
      gatewayAddress: '10.0.0.1',
      ispRttMs: 11,
      worstSessionMs: 300,
      worstSessionTarget: 'mail',
    });
  });

  it('says when a repeat changed nothing, so that nothing is written', () => {
    const agent = fresh();
    const result = make('endpoint.wifi', 1, { metrics: { 'rssi.dbm': -60 } });
    expect(foldResult(agent, result)).toBe(true);
    expect(foldResult(agent, result)).toBe(false);
    expect(foldResult(agent, make('endpoint.agent', 1))).toBe(false);
  });

  it('keeps since when a verdict holds, and begins anew when the cause changes', () => {
    const at = (minute: number) => START + minute * 60_000;
    expect(foldAll([verdict(1, 'none'), verdict(2, 'wifi'), verdict(3, 'wifi'), verdict(4, 'wifi', 0.5)])).toMatchObject({
      cause: 'wifi',
      verdictSince: at(2),
      causeAt: at(4),
      confidence: 0.5,
      summary: 'because wifi',
    });
    const late = foldAll([verdict(2, 'wifi'), verdict(1, 'isp')]);
    expect(late).toMatchObject({ cause: 'wifi', verdictSince: at(2) });
  });

  it('tells not measured from zero, with the reason', () => {
    const absent = make('endpoint.wifi', 1, { present: false, attributes: { 'unavailable.rssi.dbm': 'wired' } });
    expect(foldAll([absent])).toMatchObject({
      connection: 'wired',
      wifiRssiDbm: null,
      wifiRssiWhy: 'wired',
      wifiSignalWhy: 'wired',
    });
    const zero = make('endpoint.gateway', 1, {
      metrics: { 'packet.loss.ratio': 0 },
      attributes: { 'unavailable.rtt.avg.ms': 'tunnel' },
    });
    expect(foldAll([zero])).toMatchObject({
      gatewayLossRatio: 0,
      gatewayLossWhy: null,
      gatewayRttMs: null,
      gatewayRttWhy: 'tunnel',
    });
  });

  it('does not let one unreachable trace target hide what another just showed', () => {
    const seen = make('endpoint.lastmile', 0, { server_address: 'one', metrics: { 'segment.isp-edge.rtt.avg.ms': 11 } });
    const unseen = make('endpoint.lastmile', 1, {
      server_address: 'two',
      present: false,
      attributes: { 'unavailable.hops': 'no_target' },
    });
    expect(foldAll([seen, unseen])).toMatchObject({ ispRttMs: 11 });
    expect(foldAll([seen, { ...unseen, started_at: new Date(START + 600_000).toISOString() }])).toMatchObject({
      ispRttMs: null,
      ispRttWhy: 'no_target',
    });
  });
});

describe('the worst session', () => {
  it('is the slowest that succeeded, with those that failed counted apart, and never the control plane', () => {
    const readings = foldAll([
      session(1, 'slow', { metrics: { 'total.ms': 4000 } }),
      session(1, 'fast', { metrics: { 'total.ms': 40 } }),
      session(2, 'broken', {
        success: false,
        metrics: { 'total.ms': 34 },
        attributes: { 'svc.session.role': 'target', 'error.phase': 'tls' },
      }),
      session(1, 'control', { metrics: { 'total.ms': 9000 }, attributes: { 'svc.session.role': 'control_plane' } }),
    ]);
    expect(readings).toMatchObject({ worstSessionTarget: 'slow', worstSessionMs: 4000, sessionsFailed: 1, sessionsJudged: 3 });
    expect(readings).toMatchObject({ failedSessionTarget: 'broken', failedSessionPhase: 'tls' });
  });

  it('has no time where every session failed, and none of them failed once one succeeds', () => {
    const broken = session(1, 'crm', { success: false, metrics: { 'total.ms': 34 } });
    expect(foldAll([broken])).toMatchObject({
      ...{ worstSessionTarget: null, worstSessionMs: null, worstSessionWhy: null },
      ...{ sessionsFailed: 1, sessionsJudged: 1, failedSessionTarget: 'crm', failedSessionPhase: null },
    });
    expect(foldAll([broken, session(2, 'crm', { success: true, metrics: { 'total.ms': 90 } })])).toMatchObject({
      ...{ worstSessionTarget: 'crm', worstSessionMs: 90, sessionsFailed: 0, sessionsJudged: 1, failedSessionTarget: null },
    });
  });

  it('forgets a target that is not measured any more beside the others', () => {
    const readings = foldAll([
      session(0, 'old', { metrics: { 'total.ms': 5000 } }),
      session(45, 'new', { metrics: { 'total.ms': 100 } }),
    ]);
    expect(readings).toMatchObject({ worstSessionTarget: 'new', worstSessionMs: 100 });
  });

  it('keeps at most 33 targets', () => {
    const agent = fresh();
    for (let i = 0; i < 100; i += 1) foldResult(agent, session(i, `t${i}`, { metrics: { 'total.ms': i } }));
    expect(Object.keys(agent.sessions ?? {})).toHaveLength(33);
    expect(agent.sessions).toHaveProperty('t99');
  });

  it('says that nobody chose a target', () => {
    const control = session(1, 'control', { metrics: { 'total.ms': 90 }, attributes: { 'svc.session.role': 'control_plane' } });
    expect(foldAll([control])).toMatchObject({ worstSessionMs: null, worstSessionWhy: 'no_target', worstSessionTarget: null });
  });
});
