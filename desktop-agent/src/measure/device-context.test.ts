import { CanonicalResult } from '@svc/contracts/results/canonical-result';
import type { ContextReading } from '@svc/native/context/context';
import { describe, expect, it } from 'vitest';
import { COLLECT_NOTHING } from '../privacy/collect.ts';
import { minimise } from '../privacy/minimise.ts';
import { type EndpointResult, emptyResult } from '../result.ts';
import { resolver, session } from '../testing/readings.ts';
import { createDeviceContext } from './device-context.ts';

const none = { unavailable: 'not_supported' } as const;
const quiet: ContextReading = {
  onBattery: { value: false },
  metered: none,
  vpn: { unavailable: 'no_target' },
  roams: { unavailable: 'wired' },
  cellular: { rsrpDbm: none, rsrqDb: none, sinrDb: none },
};
const HOUR_MS = 3_600_000;

function contextOf(reading: Partial<ContextReading> = {}) {
  let steadyMs = 0;
  const context = createDeviceContext({
    reader: { read: async () => ({ ...quiet, ...reading }) },
    steady: () => steadyMs,
    sessionKeptMs: () => HOUR_MS,
  });
  const attached = (type: EndpointResult['canary_type']): EndpointResult => {
    const result = emptyResult(type, { resultId: '0190a6c0-0000-7000-8000-000000000001', startedAtMs: 1 });
    context.attach(result);
    expect(CanonicalResult.safeParse({ ...result, tenant_id: 't', agent_id: 'a' }).error).toBeUndefined();
    // Names nothing and nobody: it leaves under every setting.
    expect(minimise(result, COLLECT_NOTHING).withheld).toEqual({});
    return result;
  };
  const pass = (ms: number): void => {
    steadyMs += ms;
  };
  return { context, attached, pass };
}

describe('context', () => {
  it('says everything, with why not, with what the agent costs', async () => {
    const { context, attached, pass } = contextOf();
    await context.refresh();
    expect(attached('endpoint.agent').attributes).toEqual({
      'svc.context.on_battery': 'false',
      'unavailable.svc.context.metered': 'not_supported',
      'unavailable.svc.context.vpn': 'no_target',
      'unavailable.svc.context.captive_portal': 'no_target',
    });
    // Why not, once an hour.
    expect(attached('endpoint.agent').attributes).toEqual({ 'svc.context.on_battery': 'false' });
    pass(HOUR_MS);
    expect(Object.keys(attached('endpoint.agent').attributes)).toHaveLength(4);
    expect(attached('endpoint.session').attributes).toEqual({});
    expect(attached('endpoint.wifi')).toMatchObject({ attributes: {}, metrics: {} });
  });

  it('goes with sessions and verdicts where it is true', async () => {
    const { context, attached } = contextOf({ metered: { value: true }, vpn: { value: true } });
    expect(attached('endpoint.session').attributes).toEqual({});
    await context.refresh();
    const expected = { 'svc.context.metered': 'true', 'svc.context.vpn': 'true' };
    expect(attached('endpoint.session').attributes).toEqual(expected);
    expect(attached('endpoint.attribution').attributes).toEqual(expected);
    expect(attached('endpoint.gateway').attributes).toEqual({});
  });

  it('takes a window’s word on the battery where the system gives none', async () => {
    const { context } = contextOf({ onBattery: none });
    await context.refresh();
    expect(context.now().onBattery).toBeNull();
    context.noteBattery(true);
    expect(context.now().onBattery).toBe(true);
  });

  it('marks what is measured from waking up to the first verdict', () => {
    const { context, attached } = contextOf();
    context.noteResumed();
    const resumed = { 'svc.context.resumed': 'true' };
    expect(attached('endpoint.gateway').attributes).toEqual(resumed);
    expect(attached('endpoint.attribution').attributes).toEqual(resumed);
    expect(attached('endpoint.gateway').attributes).toEqual({});
  });

  it('counts roaming and gives the cell’s signals, or why the system keeps them back', async () => {
    const { context, attached } = contextOf({
      roams: { value: 2 },
      cellular: { rsrpDbm: { value: -101 }, rsrqDb: { value: -12 }, sinrDb: { unavailable: 'permission' } },
    });
    await context.refresh();
    const wifi = attached('endpoint.wifi');
    expect(wifi.attributes).toEqual({ 'network.wifi.roams': '2', 'unavailable.sinr.db': 'permission' });
    expect(wifi.metrics).toEqual({ 'rsrp.dbm': -101, 'rsrq.db': -12 });
  });

  it('keeps what it knew where the reader fails', async () => {
    let fails = false;
    const context = createDeviceContext({
      reader: {
        read: () => (fails ? Promise.reject(new Error('gone')) : Promise.resolve({ ...quiet, metered: { value: true } })),
      },
      steady: () => 0,
      sessionKeptMs: () => HOUR_MS,
    });
    await context.refresh();
    fails = true;
    await context.refresh();
    expect(context.now().metered).toBe(true);
  });
});

describe('a sign-in page', () => {
  const portal = { url: 'http://intranet.example/', ledAway: true };
  const wrongName = { success: false, errorPhase: 'tls' as const, error: 'ERR_TLS_CERT_ALTNAME_INVALID' };

  it('is suspected where chosen targets lead elsewhere or show another name', () => {
    const { context } = contextOf();
    expect(context.now().captivePortal).toBeNull();
    context.noteSession(session());
    expect(context.now().captivePortal).toBe(false);
    const other = contextOf().context;
    other.noteSession(session(portal));
    expect(other.now().captivePortal).toBe(true);
    const third = contextOf().context;
    third.noteSession(session({ ...wrongName }));
    expect(third.now().captivePortal).toBe(true);
  });

  it('is not suspected where any certificate holds, and no longer once it does', () => {
    const { context } = contextOf();
    context.noteSession(session({ ...wrongName, url: 'https://misconfigured.example/' }));
    context.noteSession(session({ url: 'https://crm.example/' }));
    expect(context.now().captivePortal).toBe(false);
  });

  it('is not suspected where the host answers plain http itself: then the wrong name is its own', () => {
    const { context } = contextOf();
    context.noteSession(session({ ...wrongName, plainHttp: 'own_answer' }));
    expect(context.now().captivePortal).toBe(false);
    context.noteSession(session({ ...wrongName, plainHttp: 'silent' }));
    expect(context.now().captivePortal).toBe(true);
  });

  it('is suspected where HTTPS is dropped and plain http led away, or the network asks for a sign-in', () => {
    const { context } = contextOf();
    context.noteSession(session({ success: false, failure: 'no_answer', plainHttp: 'led_away', ledAway: true }));
    expect(context.now().captivePortal).toBe(true);
    const other = contextOf().context;
    other.noteSession(session({ url: 'http://intranet.example/', success: false, status: 511 }));
    expect(other.now().captivePortal).toBe(true);
  });

  it('is suspected where every name leads to one private address, until it does no more', () => {
    const { context } = contextOf();
    context.noteSession(session({ success: false, failure: 'no_answer', plainHttp: 'silent' }));
    expect(context.now().captivePortal).toBe(false);
    const captured = { answers: [{ name: 'crm.example', code: 'NOERROR', addresses: ['10.0.0.1'] }] };
    context.noteResolvers([resolver({ ...captured, invalidAddresses: ['10.0.0.1'], lies: 'wildcard' })]);
    expect(context.now().captivePortal).toBe(true);
    context.noteResolvers([resolver()]);
    expect(context.now().captivePortal).toBe(false);
  });

  it('is forgotten with the sessions that showed it', () => {
    const { context, pass } = contextOf();
    context.noteSession(session(portal));
    pass(HOUR_MS + 1);
    expect(context.now().captivePortal).toBeNull();
  });
});
