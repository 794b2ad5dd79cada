import type { SessionMeasurement } from '@svc/probes/session';
import { describe, expect, it } from 'vitest';
import { session } from '../../testing/readings.ts';
import type { ProbeSet, SessionOrder } from '../probe-set.ts';
import { measureWithFollowUp } from './follow-up.ts';

const URL_OF_TARGET = 'https://crm.example:8443/login';

function measuring(failed: Partial<SessionMeasurement>, plain: Partial<SessionMeasurement> = {}) {
  const asked: SessionOrder[] = [];
  const swept: string[] = [];
  const probes = {
    measureSession: async (order: SessionOrder) => {
      asked.push(order);
      return session({ url: order.url, ...(asked.length === 1 ? { success: false, status: null, ...failed } : plain) });
    },
    measurePathMtu: async ({ address }: { address: string }) => {
      swept.push(address);
      return { value: { address, mtuBytes: 1400, lostBytes: 1460, isBlackHole: true } };
    },
  } as unknown as ProbeSet;
  const order = { url: URL_OF_TARGET, signal: new AbortController().signal };
  return { asked, swept, measure: (isTarget = true) => measureWithFollowUp(probes, order, { isTarget }) };
}

describe('a session that failed', () => {
  it('is followed by plain http to the same host, and nowhere else', async () => {
    const { asked, measure } = measuring({ failure: 'no_answer' }, { success: false, status: 302, ledAway: true });
    expect(await measure()).toMatchObject({ url: URL_OF_TARGET, failure: 'no_answer', plainHttp: 'led_away', ledAway: true });
    expect(asked[1]).toMatchObject({ url: 'http://crm.example/', maxRedirects: 0 });
  });

  it('tells a host that answers itself, also by refusing, from silence', async () => {
    const answered = await measuring({ failure: 'certificate' }, { status: 301, success: false, failure: 'redirect' }).measure();
    expect(answered).toMatchObject({ plainHttp: 'own_answer' });
    expect(answered.ledAway).toBeUndefined();
    const refused = { success: false, status: null, failure: 'refused' as const };
    expect(await measuring({ failure: 'certificate' }, refused).measure()).toMatchObject({ plainHttp: 'own_answer' });
    const silent = { success: false, status: null, failure: 'no_answer' as const };
    expect(await measuring({ failure: 'no_answer' }, silent).measure()).toMatchObject({ plainHttp: 'silent' });
  });

  it.each<[string, Partial<SessionMeasurement>]>([
    ['by its name', { failure: 'name_not_found' }],
    ['by the service', { failure: 'http_status', status: 503 }],
    ['behind a proxy', { failure: 'no_answer', viaProxy: true }],
    ['not at all', { success: true, failure: null }],
  ])('%s is not', async (_why, failed) => {
    const { asked, measure } = measuring(failed);
    expect(await measure()).not.toHaveProperty('plainHttp');
    expect(asked).toHaveLength(1);
  });

  it.each<[string, Partial<SessionMeasurement>, boolean]>([
    ['in its handshake', { stall: { phase: 'tls', sentBytes: 517, receivedBytes: 0 }, tlsMs: null }, true],
    ['in its body', { stall: { phase: 'body', sentBytes: 700, receivedBytes: 5000 } }, true],
    ['before a plain answer', { stall: { phase: 'request', sentBytes: 100, receivedBytes: 0 }, tlsMs: null }, true],
    ['before an answer over TLS', { stall: { phase: 'request', sentBytes: 700, receivedBytes: 4000 } }, false],
    ['nowhere', { failure: 'refused' }, false],
  ])('by a stall %s is followed by a look at the path’s MTU where large packets may be why', async (_where, failed, looks) => {
    const { swept, measure } = measuring({ failure: 'stalled', address: '203.0.113.9', ...failed });
    expect((await measure(false)).pathMtu?.isBlackHole).toBe(looks || undefined);
    expect(swept).toEqual(looks ? ['203.0.113.9'] : []);
  });

  it('to a host that nobody chose as a target is not', async () => {
    const { asked, measure } = measuring({ failure: 'no_answer' });
    await measure(false);
    expect(asked).toHaveLength(1);
  });
});
