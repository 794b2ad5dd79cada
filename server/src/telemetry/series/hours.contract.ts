import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseTenantId, type TenantId } from '#kernel';
import { createColumnStore } from '../clickhouse.ts';
import type { Engine } from '../engine/engine.ts';
import { migrateStore } from '../migrate.ts';
import type { ColumnStore, RangeQuery } from '../ports.ts';
import { createSeriesStore } from './series.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../../clickhouse/migrations', import.meta.url));
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.now();
/** Two hours into a quarter of a day that is over. */
const TODAY = Math.floor(NOW / (6 * HOUR)) * 6 * HOUR - 10 * HOUR;

/** What the roll-up promises on a real engine, beside the contract of the series port. */
export function describeSeriesHours(name: string, open: () => Promise<Engine>): void {
  describe(`hours of samples on ${name}`, () => {
    let engine: Engine;
    let store: ColumnStore;
    let tenant: TenantId;
    let now = NOW;
    let count = 0;
    const clock = { now: () => now };
    const series = () => createSeriesStore(store, clock);

    beforeAll(async () => {
      engine = await open();
      await engine.command('DROP TABLE IF EXISTS schema_migrations');
      await migrateStore(engine, { directory: MIGRATIONS, mode: 'apply' });
      store = createColumnStore(engine);
    });
    afterAll(() => engine.close());
    beforeEach(() => {
      count += 1;
      tenant = parseTenantId(`hours-${count}`);
      // Past the time in which an insert's mark may be seen before its samples.
      now = Date.now() + 6 * 60_000;
    });

    const write = (at: number, values: readonly number[], agent = 'a') =>
      series().write(values.map((value, i) => ({ tenant, metric: 'm', labels: { agent }, ts: at + i * 60_000, value })));
    const range = async (query: Partial<RangeQuery> = {}) => {
      const asked = { metrics: ['m'], labels: { agent: 'a' }, fromMs: TODAY - DAY, toMs: TODAY + DAY, stepMs: HOUR, ...query };
      const [found] = await series().range(tenant, asked);
      return found && { ts: found.ts, avg: found.avg, min: found.min, max: found.max };
    };
    /** What is asked then can only come from the hours. */
    const loseSamples = () => engine.command('TRUNCATE TABLE samples');

    test('answers from the hours when the samples are gone, each point counted once however often it came', async () => {
      await write(TODAY, [1, 2, 3]);
      await write(TODAY, [1, 2, 3]);
      await write(TODAY + HOUR, [10, 20]);
      expect(await series().rollUp(tenant)).toBe(2);
      await write(TODAY + HOUR, [10]);
      expect(await series().rollUp(tenant)).toBe(1);
      expect(await series().rollUp(tenant)).toBe(0);
      await loseSamples();
      const hours = { ts: [TODAY, TODAY + HOUR], avg: [2, 15], min: [1, 10], max: [3, 20] };
      expect(await range()).toEqual(hours);
      const stepMs = 24 * HOUR;
      const day = await range({ stepMs, fromMs: Math.floor(TODAY / stepMs) * stepMs, toMs: TODAY + 2 * HOUR });
      const sameDay = Math.floor(TODAY / stepMs) === Math.floor((TODAY + HOUR) / stepMs);
      if (sameDay) expect(day).toMatchObject({ avg: [7.2], min: [1], max: [20] });
      expect(await range({ stepMs: HOUR / 2 })).toBeUndefined();
    });

    test('leaves an hour alone until it is over and its writes have settled', async () => {
      await write(TODAY + 10 * HOUR, [5]);
      await write(TODAY, [1]);
      now = Date.now();
      expect(await series().rollUp(tenant)).toBe(0);
      now = Date.now() + 6 * 60_000;
      expect(await series().rollUp(tenant)).toBe(1);
    });

    test('what arrives late is there at once, and rolled up again', async () => {
      await write(TODAY, [1, 3]);
      await series().rollUp(tenant);
      await write(TODAY + 5 * 60_000, [8]);
      expect(await range()).toMatchObject({ avg: [4], max: [8] });
      expect(await series().rollUp(tenant)).toBe(1);
      await loseSamples();
      expect(await range()).toMatchObject({ avg: [4], max: [8] });
    });

    test('several at once, and one that ended before its mark, change nothing', async () => {
      await write(TODAY, [1, 3]);
      await Promise.all([series().rollUp(tenant), series().rollUp(tenant)]);
      await write(TODAY + 10 * 60_000, [11]);
      const dying: ColumnStore = {
        ...store,
        derive: async (...call) => {
          if (call[1].includes('INTO sample_marks')) throw new Error('killed');
          await store.derive(...call);
        },
      };
      await expect(createSeriesStore(dying, clock).rollUp(tenant)).rejects.toThrow('killed');
      expect(await range()).toMatchObject({ avg: [5] });
      expect(await series().rollUp(tenant)).toBe(1);
      await engine.command('OPTIMIZE TABLE sample_hours FINAL');
      await loseSamples();
      expect(await range()).toMatchObject({ ts: [TODAY], avg: [5] });
    });

    test('an hour whose samples begin to expire is never computed again from what is left', async () => {
      await write(TODAY, [1, 3]);
      expect(await series().rollUp(tenant)).toBe(1);
      await loseSamples();
      await write(TODAY + 30 * 60_000, [100]);
      now = TODAY + 30 * DAY - 2 * HOUR;
      expect(await series().rollUp(tenant)).toBe(0);
      expect(await range()).toMatchObject({ avg: [2], max: [3] });
    });

    test('exports each hour once, with the labels of its series, page by page', async () => {
      await write(TODAY, [1, 3]);
      await series().rollUp(tenant);
      await write(TODAY + 60_000 * 5, [8]);
      await series().rollUp(tenant);
      const all = async () => {
        const pages = [];
        for await (const page of series().exportHours(tenant)) pages.push(page);
        return pages;
      };
      const hour = { metric: 'm', labels: { agent: 'a' }, startMs: TODAY, points: 3, avg: 4, min: 1, max: 8 };
      expect(await all()).toEqual([[hour]]);
      await engine.command(
        `INSERT INTO sample_hours SELECT '${tenant}', concat('x', toString(number % 7)), number % 1100, ${TODAY / HOUR} - intDiv(number, 1100), 1, 1, 1, 1, 1 FROM numbers(11000)`,
      );
      const pages = await all();
      expect(pages.length).toBeGreaterThan(2);
      expect(new Set(pages.flat().map(({ metric, startMs }) => `${metric} ${startMs}`)).size).toBe(1 + 7 * 10);
      expect(pages.flat()).toHaveLength(11_001);
    });

    test('keeps hours and the names of their series for 13 months, and no longer', async () => {
      const month = 30.5 * DAY;
      for (const at of [TODAY - Math.round(12 * month), TODAY - 17 * Math.round(month)].map(
        (ms) => Math.floor(ms / HOUR) * HOUR,
      )) {
        await write(at, [1, 3]);
        const rows = `'${tenant}', metric, fp, ${at / HOUR}, 2, 4, 1, 3, 1`;
        await engine.command(
          `INSERT INTO sample_hours SELECT DISTINCT ${rows} FROM series WHERE tenant_id = '${tenant}' AND metric = 'm' SETTINGS optimize_on_insert = 0`,
        );
      }
      for (const table of ['series', 'samples', 'sample_hours']) await engine.command(`OPTIMIZE TABLE ${table} FINAL`);
      now = Date.now();
      const query = { fromMs: TODAY - 18 * Math.round(month), toMs: TODAY, stepMs: 2 * HOUR };
      expect(await range(query)).toMatchObject({ avg: [2] });
      expect((await range(query))?.ts[0]).toBeGreaterThan(TODAY - 13 * month);
      expect(await range({ fromMs: TODAY - 12 * month - DAY, toMs: TODAY - 12 * month + DAY, stepMs: HOUR / 4 })).toBeUndefined();
    });

    test('rolls up what was stored before there were hours', async () => {
      const before = await mkdtemp(join(tmpdir(), 'svc-before-hours-'));
      for (const file of await readdir(MIGRATIONS)) if (file < '0005') await symlink(join(MIGRATIONS, file), join(before, file));
      for (const table of ['sample_marks_view', 'sample_marks', 'sample_hours', 'schema_migrations'])
        await engine.command(`DROP TABLE IF EXISTS ${table} SYNC`);
      await migrateStore(engine, { directory: before, mode: 'apply' });
      await rm(before, { recursive: true });
      await write(TODAY, [1, 3]);
      await migrateStore(engine, { directory: MIGRATIONS, mode: 'apply' });
      expect(await range()).toMatchObject({ avg: [2] });
      expect(await series().rollUp(tenant)).toBe(1);
      await loseSamples();
      expect(await range()).toMatchObject({ avg: [2] });
    });
  });
}
