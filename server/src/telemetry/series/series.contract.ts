import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Clock, parseTenantId } from '#kernel';
import type { RangeQuery, Sample, SeriesStore } from '../ports.ts';
import { seriesKey } from './hash.ts';

const RSSI = 'svc_endpoint_wifi_rssi_dbm';
const HOP = 'svc_endpoint_lastmile_hop_rtt_avg_ms';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A full hour of today or yesterday: within every retention. */
const BASE = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 3_600_000;

const sample = (
  tenant: string,
  labels: Record<string, string>,
  at: [minute: number, value: number, metric?: string],
): Sample => ({
  tenant: parseTenantId(tenant),
  metric: at[2] ?? RSSI,
  labels,
  ts: BASE + at[0] * MINUTE,
  value: at[1],
});
const hour: RangeQuery = { metrics: [RSSI], labels: {}, fromMs: BASE, toMs: BASE + 60 * MINUTE, stepMs: 0 };

/** What every adapter of the series port must do. */
export function describeSeriesStore(
  name: string,
  open: (clock: Clock) => Promise<{ series: SeriesStore; close(): Promise<void> }>,
): void {
  describe(`series on ${name}`, () => {
    let opened: Awaited<ReturnType<typeof open>>;
    const series = () => opened.series;
    beforeAll(async () => {
      opened = await open({ now: () => Date.now() + 12 * HOUR });
    });
    afterAll(() => opened.close());
    const range = (tenant: string, query: Partial<RangeQuery>) => series().range(parseTenantId(tenant), { ...hour, ...query });

    test('gives raw points in the order of time, and buckets with average, least and most', async () => {
      const values = [-50, -60, -70, -52];
      await series().write(values.map((value, minute) => sample('shapes', { agent: 'a' }, [minute, value])).reverse());
      expect(await range('shapes', {})).toEqual([
        {
          metric: RSSI,
          labels: { agent: 'a' },
          ts: [0, 1, 2, 3].map((m) => BASE + m * MINUTE),
          avg: values,
          min: values,
          max: values,
        },
      ]);
      expect(await range('shapes', { stepMs: 2 * MINUTE })).toEqual([
        {
          metric: RSSI,
          labels: { agent: 'a' },
          ts: [BASE, BASE + 2 * MINUTE],
          avg: [-55, -61],
          min: [-60, -70],
          max: [-50, -52],
        },
      ]);
      expect(await range('shapes', { fromMs: BASE + MINUTE, toMs: BASE + 2 * MINUTE })).toMatchObject([{ avg: [-60] }]);
    });

    test('shows no change when the same points are written again, cut differently', async () => {
      const points = Array.from({ length: 30 }, (_, i) => sample('again', { agent: `a${i % 3}` }, [i, i]));
      await series().write(points);
      const before = await range('again', { stepMs: 10 * MINUTE });
      await series().write(points.slice(0, 11));
      await series().write(points.slice(5));
      const sorted = (list: typeof before) =>
        [...list].sort((x, y) => ((x.labels.agent ?? '') < (y.labels.agent ?? '') ? -1 : 1));
      expect(sorted(await range('again', { stepMs: 10 * MINUTE }))).toEqual(sorted(before));
      expect(before).toHaveLength(3);
    });

    test('keeps tenants, metrics and labels apart', async () => {
      await series().write([
        sample('one', { agent: 'a', hop: '1' }, [0, 1, HOP]),
        sample('one', { agent: 'a', hop: '2' }, [0, 2, HOP]),
        sample('one', { agent: 'b', hop: '1' }, [0, 3, HOP]),
        sample('one', { agent: 'a' }, [0, 4]),
        sample('two', { agent: 'a', hop: '1' }, [0, 5, HOP]),
      ]);
      const values = async (tenant: string, query: Partial<RangeQuery>) =>
        (await range(tenant, query)).flatMap(({ avg }) => avg).sort();
      expect(await values('one', { metrics: [HOP] })).toEqual([1, 2, 3]);
      expect(await values('one', { metrics: [HOP], labels: { agent: 'a' } })).toEqual([1, 2]);
      expect(await values('one', { metrics: [HOP], labels: { hop: '1' } })).toEqual([1, 3]);
      expect(await values('one', { metrics: [HOP, RSSI], labels: { agent: 'a' } })).toEqual([1, 2, 4]);
      expect(await values('two', { metrics: [HOP], labels: { agent: 'a' } })).toEqual([5]);
      expect(await values('nobody', { metrics: [HOP] })).toEqual([]);
    });

    test('makes the same series by a batch as by single samples', async () => {
      const tenant = parseTenantId('batch');
      await series().write([sample('batch', { agent: 'a', target: 't', hop: '3' }, [0, 1, HOP])]);
      const batch = series().batch();
      batch.begin({ tenant, agent: 'a', target: 't' }, BASE + MINUTE);
      batch.add(seriesKey(HOP, { hop: '3' }), 2);
      expect(batch.rows).toBe(1);
      await batch.write();
      expect(await range('batch', { metrics: [HOP] })).toMatchObject([
        { labels: { agent: 'a', target: 't', hop: '3' }, avg: [1, 2] },
      ]);
    });

    test('gives the same by the hour before and after it is rolled up, also for a window that cuts hours', async () => {
      const tenant = parseTenantId('rolled');
      const points = Array.from({ length: 40 }, (_, i) => sample('rolled', { agent: `a${i % 2}` }, [(i - 20) * 15, i]));
      await series().write(points.slice(0, 30));
      await series().write(points.slice(20));
      const windows = [
        { fromMs: BASE - 6 * HOUR, toMs: BASE + 6 * HOUR },
        { fromMs: BASE - 3 * HOUR - 16 * MINUTE, toMs: BASE + 31 * MINUTE },
        { fromMs: BASE - 44 * MINUTE, toMs: BASE - 14 * MINUTE },
      ];
      const byHour = async () => {
        const asked = windows.flatMap((window) => [1, 3].map((hours) => ({ ...window, stepMs: hours * HOUR })));
        const answers = await Promise.all(asked.map((query) => range('rolled', query)));
        return answers.map((answer) => answer.sort((x, y) => ((x.labels.agent ?? '') < (y.labels.agent ?? '') ? -1 : 1)));
      };
      const before = await byHour();
      expect(before[0]?.[0]?.ts.length).toBeGreaterThan(8);
      await series().rollUp(tenant);
      expect(await byHour()).toEqual(before);
      await series().write(points.slice(3, 9));
      expect(await byHour()).toEqual(before);
      await series().rollUp(tenant);
      expect(await byHour()).toEqual(before);
      await series().write([sample('rolled', { agent: 'a0' }, [-100, 1000])]);
      expect((await byHour())[0]?.[0]?.max).toContain(1000);
    });

    test('refuses labels, values and ranges that it cannot keep', async () => {
      await expect(series().write([sample('bad', { user: 'u' }, [0, 1])])).rejects.toMatchObject({ code: 'validation' });
      await expect(series().write([sample('bad', {}, [0, Number.NaN])])).rejects.toMatchObject({ code: 'validation' });
      const faulty: Partial<RangeQuery>[] = [
        { metrics: [] },
        { toMs: BASE },
        { stepMs: -1 },
        { stepMs: 1 },
        { fromMs: BASE - 25 * 60 * MINUTE },
        { labels: { "x') OR ('1": '1' } },
      ];
      for (const query of faulty) await expect(range('bad', query)).rejects.toMatchObject({ code: 'validation' });
      expect(await range('bad', {})).toEqual([]);
    });
  });
}
