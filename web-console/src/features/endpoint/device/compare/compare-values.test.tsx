import type { DeviceView } from '@svc/contracts/endpoint/view';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { BothTimes } from './both-times.tsx';
import { compareLayers, comparePath, compareSessions } from './compare-values.ts';
import { comparedSpan } from './compared-span.ts';

const HOUR = 3_600_000;
const layer = (name: string, score: number | null) => ({ layer: name, score, unavailable: null });
const hop = (number: number, rtt: number | null, address: string | null = `10.0.0.${number}`) => ({
  ...{ hop: number, segment: null, address, unavailable: null, rtt_ms: rtt, loss_ratio: null },
});
const session = (target: string, window: object) => ({
  target,
  window: { count: 4, failed: 0, phases: [], median_ms: null, worst_ms: null, ...window },
});
const view = (part: object): DeviceView =>
  ({ layers_at: '2026-11-21T12:00:00.000Z', layers: [], paths: [], sessions: [], ...part }) as unknown as DeviceView;

describe('the time that another is compared with', () => {
  const span = { from: 10 * HOUR, to: 11.5 * HOUR };

  it('is the same time a day before', () => {
    expect(comparedSpan('yesterday', span, true)).toEqual({ from: -14 * HOUR, to: -12.5 * HOUR });
  });

  it('is the hour before a chosen time, and the hour that ended an hour ago where none was chosen', () => {
    expect(comparedSpan('hour', span, true)).toEqual({ from: 9 * HOUR, to: 10 * HOUR });
    expect(comparedSpan('hour', span, false)).toEqual({ from: 9.5 * HOUR, to: 10.5 * HOUR });
  });
});

describe('two times beside each other', () => {
  const shown = view({
    layers: [layer('wifi', 31), layer('local', 88), layer('isp', null)],
    paths: [{ target: 'one', hops: [hop(1, 30), hop(2, null), hop(3, 60)] }],
    sessions: [session('crm.example', { failed: 3, phases: [{ phase: 'tls', count: 3 }], median_ms: 400 })],
  });
  const before = view({
    layers: [layer('wifi', 90), layer('local', 88), layer('isp', 70)],
    paths: [{ target: 'one', hops: [hop(1, 4, '10.9.9.9'), hop(2, 20)] }],
    sessions: [session('crm.example', { median_ms: 200 }), session('mail.example', { median_ms: 90 })],
  });

  it('show both values of each layer and their difference, none where one is missing', () => {
    expect(compareLayers(shown, before).map((row) => [row.name, row.shown, row.before, row.difference])).toEqual([
      ['Wi-Fi', '31', '90', '\u221259'],
      ['Gateway', '88', '88', 'same'],
      ['ISP edge', 'not measured', '70', ''],
    ]);
  });

  it('do not call a layer unmeasured that was measured and is behind the slow one', () => {
    const behind = view({ layers: [{ ...layer('local', null), behind: 'wifi' }] });
    const judged = view({ layers: [layer('local', 90)] });
    expect(compareLayers(behind, judged).map((row) => [row.shown, row.before])).toEqual([['not judged', '90']]);
    expect(compareLayers(judged, behind).map((row) => [row.shown, row.before])).toEqual([['90', 'not judged']]);
  });

  it('differ by what their figures show, not by what these were rounded from', () => {
    const path = (rtt: number) => view({ paths: [{ target: 'one', hops: [hop(1, rtt)] }] });
    const rows = (now: number, then: number) => comparePath(path(now), path(then), 'one')?.rows.map((row) => row.difference);
    expect(rows(21.4, 22.0)).toEqual(['\u22121\u202fms']);
    expect(rows(21.4, 20.6)).toEqual(['same']);
    expect(rows(1504, 1496)).toEqual(['same']);
    expect(rows(999.6, 1000.4)).toEqual(['same']);
    expect(rows(4.24, 3.16)).toEqual(['+1\u202fms']);
  });

  it('show the hops of one target, and who answered instead', () => {
    const path = comparePath(shown, before, 'one');
    expect(path?.target).toBe('one');
    expect(path?.rows.map((row) => [row.name, row.shown, row.before, row.difference])).toEqual([
      ['1, 10.0.0.1, was 10.9.9.9', '30\u202fms', '4\u202fms', '+26\u202fms'],
      ['2, 10.0.0.2', 'no reply', '20\u202fms', ''],
      ['3, 10.0.0.3', '60\u202fms', 'no such hop', ''],
    ]);
    expect(comparePath(shown, view({}), undefined)?.rows[0]).toMatchObject({ before: 'not measured' });
    expect(comparePath(view({}), view({}), 'one')).toBeUndefined();
  });

  it('show medians of sessions with the failures of each time', () => {
    expect(compareSessions(shown, before).map((row) => [row.name, row.shown, row.before, row.difference])).toEqual([
      ['crm', '400\u202fms, 3 of 4 failed at TLS', '200\u202fms', '+200\u202fms'],
      ['mail', 'not measured', '90\u202fms', ''],
    ]);
  });

  it('say where nothing was measured', () => {
    const html = renderToStaticMarkup(
      <BothTimes
        shown={shown}
        before={view({ layers_at: null, layers: shown.layers.map(({ layer: one }) => layer(one, null)) })}
        target={undefined}
      />,
    );
    expect(html).toContain('Nothing was measured in the earlier time.');
    expect(html).toContain('>31<');
  });
});
