import { expect, it } from 'vitest';
import { gateway, session, wifi } from '../testing/readings.ts';
import { isHalt } from './activity.ts';
import { createAwakeProbes } from './awake-probes.ts';
import type { ProbeSet } from './probe-set.ts';

let steadyMs = 0;
const sleepMs = { next: 0 };
const signal = new AbortController().signal;
/** The machine sleeps while this is measured: the clock that goes on while asleep runs ahead of the one that stops. */
const during = async <T>(value: T): Promise<T> => {
  steadyMs += sleepMs.next;
  return value;
};
const probes = createAwakeProbes(
  {
    readWifi: () => during(wifi()),
    measureGateway: () => during(gateway()),
    measureSession: async ({ url }) => {
      await during(undefined);
      if (url.includes('broken')) throw new Error('ECONNRESET');
      return session({ url });
    },
  } as Partial<ProbeSet> as ProbeSet,
  () => steadyMs,
);

it('passes on what was measured while awake, and failures as they are', async () => {
  sleepMs.next = 0;
  expect(await probes.measureGateway({ count: 1, signal })).toEqual(gateway());
  await expect(probes.measureSession({ url: 'https://broken.example/', signal })).rejects.toThrow('ECONNRESET');
});

it('gives up what fell asleep under it, whether it failed or not', async () => {
  sleepMs.next = 45 * 60_000;
  for (const measured of [
    probes.readWifi({ collectSsid: true }),
    probes.measureGateway({ count: 1, signal }),
    probes.measureSession({ url: 'https://crm.example/', signal }),
    probes.measureSession({ url: 'https://broken.example/', signal }),
  ]) {
    expect(isHalt(await measured.catch((error: unknown) => error))).toBe(true);
  }
});
