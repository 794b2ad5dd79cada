import type { DeepTestView } from '@svc/contracts/agent/deep-test';
import { describe, expect, it } from 'vitest';
import { deepFindings, deepTestCost } from './deep-words.ts';
import { createWords } from './words.ts';

const words = createWords('en');
const plain = (text: string): string => text.replaceAll(/[\u202f\u00a0]/g, ' ');
const test = (change: Partial<DeepTestView>): DeepTestView => ({
  running: false,
  startedMs: 0,
  endsMs: 30_000,
  done: [],
  failed: false,
  line: null,
  mtu: null,
  pings: null,
  path: null,
  ...change,
});
const said = (change: Partial<DeepTestView>) =>
  deepFindings(words, test(change)).map(({ tone, text }) => `${tone}: ${plain(text)}`);
const loaded = (echoMs: number | null, tookMs = 2000) => ({ bytes: 5_000_000, tookMs, echoMs });
const line = (idleMs: number | null, [up, down]: readonly (number | null)[], tookMs?: number) => ({
  line: { idleMs, upload: loaded(up ?? null, tookMs), download: loaded(down ?? null, tookMs), fault: null },
});
const path = {
  target: 'crm.example',
  hops: 9,
  reached: true,
  edgeHop: 3,
  rttMs: 28,
  lossHop: null,
  lossRatio: null,
  delayHop: null,
  delayMs: null,
  unavailable: null,
};

describe('what a deeper test says', () => {
  it('is what it costs, beforehand', () => {
    expect(plain(deepTestCost(words))).toBe('Sends and receives up to 11 MB and takes up to 30 s. What it finds stays here.');
    expect(plain(deepTestCost(createWords('fr')))).toContain('jusqu’à 11 Mo');
  });

  it('is whether the line queues under load', () => {
    expect(said(line(24, [480, 60]))).toEqual([
      'bad: Your line queues under load: answers take 24 ms when it is idle and 480 ms while it is busy. Calls stutter whenever somebody sends or downloads a lot. It carried 20 Mbit/s down and 20 Mbit/s up.',
    ]);
    expect(said(line(24, [70, 30]))[0]).toMatch(/^good: Answers take 24 ms when the line is idle and 70 ms/);
    expect(said(line(24, [26, 25]))[0]).toMatch(/^good: The line stays quick/);
    expect(said(line(24, [null, null], 40))).toEqual(['unknown: The load was over too soon to see a queue build up.']);
    expect(said({ line: { idleMs: null, upload: null, download: null, fault: 'not_offered' } })[0]).toMatch(
      /^unknown: .* does not offer/,
    );
  });

  it('is how large packets may be', () => {
    const mtu = (mtuBytes: number | null, isBlackHole = false) =>
      said({ mtu: [{ host: 'crm', mtuBytes, lostBytes: null, isBlackHole }] });
    expect(mtu(1500)).toEqual(['good: Packets of full size reach crm.']);
    expect(mtu(1400)[0]).toMatch(/^good: Packets of up to 1,400 bytes reach crm/);
    expect(mtu(1400, true)[0]).toMatch(/^bad: Packets larger than 1,400 bytes disappear/);
    expect(mtu(null)[0]).toMatch(/^unknown: crm does not answer/);
  });

  it('is what the gateway answered', () => {
    const pings = { sent: 25, received: 25, medianMs: 3, worstMs: 41, unavailable: null };
    expect(said({ pings })).toEqual(['good: The gateway answered each of 25 pings, typically in 3 ms and at worst in 41 ms.']);
    expect(said({ pings: { ...pings, received: 20 } })[0]).toMatch(/^bad: The gateway answered 20 of 25/);
    expect(said({ pings: { ...pings, sent: 0, unavailable: 'tunnel' } })).toEqual(['unknown: Not measured: inside a VPN.']);
  });

  it('is where on the way something is lost or slow, and on whose side that is', () => {
    expect(said({ path })).toEqual(['good: crm.example is 9 hops away and answers in 28 ms. Nothing is lost on the way.']);
    expect(said({ path: { ...path, lossHop: 4, lossRatio: 0.2 } })).toEqual([
      'bad: From hop 4 of 9 on, 20% of packets are lost on the way to crm.example. That is after your provider’s edge.',
    ]);
    expect(said({ path: { ...path, rttMs: 90, delayHop: 3, delayMs: 70 } })[0]).toMatch(
      /70 ms of the 90 ms are added at hop 3 of 9. That is at your provider’s edge.$/,
    );
    expect(said({ done: ['path'] })).toEqual(['unknown: No target is chosen.']);
  });
});
