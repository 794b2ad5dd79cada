import { SERVER } from '@svc/testkit/netlab/netlab';
import { wifi } from '../../../src/testing/readings.ts';
import { LIKELY, SURE } from './confidence.ts';
import { lasting, READINGS, type Situation, settled } from './situation.ts';

const healthy = (name: string, truth: string, more: Partial<Situation> & Pick<Situation, 'play'>): Situation => ({
  name,
  truth,
  hurts: false,
  expected: { cause: 'none', kind: null, confidence: SURE },
  ...more,
});
const nothing = async (): Promise<void> => undefined;

/** Nothing is broken, though some of it looks odd. */
export const HEALTHY: readonly Situation[] = [
  healthy('healthy-wired', 'Nothing is wrong.', { play: lasting(nothing) }),
  healthy('healthy-wifi', 'Nothing is wrong; the radio is good.', { play: lasting(({ wifi: use }) => use(wifi())) }),
  healthy('healthy-far-service', 'The service is far away (150 ms) and quick enough.', {
    play: lasting(({ lab }) => lab.setLink(3, { delayMs: 75 })),
  }),
  healthy('healthy-router-answers-late', 'A router beyond the edge is slow to answer for itself and passes all on at once.', {
    play: lasting(({ lab }) => lab.setLink(1, { rules: [{ kind: 'icmp-error', from: '198.51.100.2', delayMs: 180 }] })),
  }),
  healthy('healthy-router-answers-seldom', 'The edge answers every second probe and passes everything on.', {
    play: lasting(({ lab }) => lab.setLink(1, { rules: [{ kind: 'icmp-error', from: '198.51.100.2', lossRatio: 0.5 }] })),
  }),
  healthy('healthy-far-router-answers-seldom', 'The last router answers every second probe and passes everything on.', {
    play: lasting(({ lab }) => lab.setLink(2, { rules: [{ kind: 'icmp-error', from: '203.0.113.2', lossRatio: 0.5 }] })),
  }),
  healthy('healthy-hidden-router', 'One router in the middle never answers for itself.', {
    play: lasting(({ lab }) => lab.setLink(2, { rules: [{ kind: 'icmp-error', from: '203.0.113.2', lossRatio: 1 }] })),
  }),
  healthy('healthy-silent-gateway', 'The gateway answers no probe and passes everything on.', {
    expected: { cause: 'none', kind: null, confidence: LIKELY },
    play: lasting(({ lab }) => lab.setLink(0, { rules: [{ from: '192.168.77.1', lossRatio: 1 }] })),
  }),
  healthy('healthy-hidden-path', 'Everything works; no router and no host answers probes beyond the gateway.', {
    partial: true,
    expected: { cause: 'none', kind: null, confidence: LIKELY },
    play: lasting(({ lab }) => lab.setLink(1, { dropIcmp: 'all' })),
  }),
  healthy('healthy-not-found', 'The service answers 404: it is there.', {
    play: lasting(({ lab }) => lab.setServer({ status: 404 })),
  }),
  healthy('healthy-proxy', 'Sessions go through a proxy that works.', {
    device: { proxy: `http://${SERVER.v4}:3128` },
    play: lasting(nothing),
  }),
  healthy('healthy-reordering', 'One packet in ten overtakes others, and nothing is slow.', {
    play: lasting(({ lab }) => lab.setLink(2, { reorderRatio: 0.1, reorderMs: 5 })),
  }),
  healthy('healthy-no-targets', 'Nobody chose what to measure: only the gateway is known, and it is well.', {
    device: { traceTargets: [], sessionTargets: [] },
    partial: true,
    expected: { cause: 'none', kind: null, confidence: [0.1, 0.8] },
    play: lasting(nothing),
  }),
  healthy('one-spike', 'One of ten pings took 300 ms, once.', {
    play: async ({ lab, rounds }) => {
      await rounds(READINGS);
      await lab.setLink(0, { rules: [{ kind: 'icmp', lossRatio: 0, delayMs: 150 }] });
      await rounds(1);
      await lab.setLink(0, { rules: [] });
      await rounds(1);
    },
  }),
  healthy('one-slow-session', 'One session of five took 2 s.', {
    play: async ({ lab, rounds }) => {
      await rounds(3);
      await lab.setServer({ delayMs: 2000 });
      await rounds(1);
      await lab.setServer({ delayMs: 0 });
      await rounds(1);
    },
  }),
  healthy('satellite-as-usual', 'A satellite line, 600 ms as on every day.', {
    play: async (stage) => {
      await stage.lab.setLink(1, { delayMs: 300 });
      await settled(nothing)(stage);
    },
  }),
  healthy('just-healed', 'Loss at the gateway ended ten minutes ago.', {
    play: async ({ lab, rounds }) => {
      await lab.setLink(0, { lossRatio: 0.3 });
      await rounds(READINGS);
      await lab.setLink(0, { lossRatio: 0 });
      await rounds(10);
    },
  }),
];
