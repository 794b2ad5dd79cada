import { expect, it } from 'vitest';
import { parseProcNetDev } from './traffic.ts';

const TEXT = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 9999999   100    0    0    0     0          0         0  9999999   100    0    0    0     0       0          0
  eth0: 1000       10    0    0    0     0          0         0      500    10    0    0    0     0       0          0
 wlan0:4000        10    0    0    0     0          0         0      250    10    0    0    0     0       0          0
`;

it('sums what went over all interfaces but the loop', () => {
  expect(parseProcNetDev(TEXT)).toBe(5750);
});

it('says nothing of a text of another shape', () => {
  for (const text of ['', 'lo: 1 2 3', 'eth0: none']) expect(parseProcNetDev(text)).toBeUndefined();
});
