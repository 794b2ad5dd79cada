import { expect, it } from 'vitest';
import { formatPercent } from '../../../ui/words/format.ts';
import { signalOf } from '../test-incidents.ts';
import { deviceLanes, readLanes, serviceLanes, signalLanes } from './lane-models.ts';

const MINUTE = 60_000;
const at = (minute: number): string => new Date(minute * MINUTE).toISOString();

it('has a row for each failing that overlaps another, four at most, and counts the rest', () => {
  const signals = Array.from({ length: 6 }, (_, n) => signalOf({ id: `s${n}`, title: `S${n}`, occurred_at: at(n) }));
  expect(signalLanes({ signals })).toMatchObject([{ label: 'Tests', note: 'and 2 more', rows: { length: 4 } }]);
  const flapping = signals.map((signal, n) => ({ ...signal, recovered_at: new Date((n + 0.5) * MINUTE).toISOString() }));
  expect(signalLanes({ signals: flapping })).toMatchObject([{ note: '6 signals', rows: { length: 1 } }]);
});

it('reads what lanes say at a moment, and leaves out those that say nothing then', () => {
  const signals = [signalOf({ occurred_at: at(1), recovered_at: at(3) })];
  const bar = (minute: number, failed: number) => ({ at: at(minute), passed: 1 - failed, failed, not_run: 0, paused: false });
  const runs = (label: string, failed: number) =>
    ({ kind: 'runs', key: label, label, testId: label, stepMs: MINUTE, bars: [bar(2, failed)] }) as const;
  const services = serviceLanes([
    {
      name: 'checkout',
      latency: {
        ...{ of: 'roots', from: at(0), to: at(9), step_ms: MINUTE },
        steps: [{ at: at(2), total: 40, errors: 5, p50_ms: 1, p95_ms: 2, p99_ms: 3 }],
      },
    },
    { name: 'silent', latency: undefined },
  ]);
  const lanes = [...signalLanes({ signals }), runs('Shop', 1), runs('Mail', 0), ...services];
  expect(readLanes(lanes, { at: 2.5 * MINUTE, shownMs: 10 * MINUTE })).toEqual([
    '1 signal open',
    'failed: Shop',
    'passed: Mail',
    `Failed requests: checkout ${formatPercent(0.125)}`,
  ]);
  expect(readLanes(lanes, { at: 8 * MINUTE, shownMs: 10 * MINUTE })).toEqual(['nothing was open']);
});

it('counts slow devices of each place that has any', () => {
  const place = { site: 'Berlin', gateway: null, cause: 'isp', devices: 9, steps: [{ slow: 4, measured: 9 }] };
  const data = { from: at(0), step_seconds: 60, places: [place, { ...place, devices: 0 }] };
  const lanes = deviceLanes({ data });
  expect(lanes).toMatchObject([{ label: 'Slow devices', note: 'the ISP, of 9 in Berlin' }]);
  expect(readLanes(lanes, { at: 30_000, shownMs: MINUTE })).toEqual(['Slow devices: 4 slow in Berlin']);
  expect(deviceLanes({ data: undefined })).toEqual([]);
});
