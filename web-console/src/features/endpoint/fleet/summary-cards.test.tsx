import type { FleetSummary } from '@svc/contracts/endpoint/view';
import { sentenceText, utcWords } from '@svc/contracts/judged/sentence';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { SLOW_CAUSES } from '../../../ui/devices/verdict-states.ts';
import { describeGroup, segmentWidths, VerdictTiles } from './summary-cards.tsx';

it('gives every segment of the bar a floor and fills the bar', () => {
  const widths = segmentWidths([9990, 9, 1, 0]);
  expect(widths[3]).toBe(0);
  expect(Math.min(...widths.slice(0, 3))).toBeGreaterThanOrEqual(3);
  expect(widths.reduce((sum, width) => sum + width, 0) + 2 * 2).toBeCloseTo(616);
  expect(segmentWidths([0, 0])).toEqual([0, 0]);
});

it('says whom a shared cause hurts and whom not', () => {
  const group = {
    ...{ cause: 'wifi' as const, site: 'Lisbon', gateway: '10.20.3.1' as string | null, affected: 9, of: 14 },
    ...{ since: null as string | null, sentence: '' },
  };
  const told = (part: Partial<typeof group>) => sentenceText(describeGroup({ ...group, ...part }), utcWords);
  expect(told({})).toBe('9 of 14 devices behind it. The other 5 are not slow because of Wi-Fi.');
  expect(told({ gateway: null, affected: 14 })).toBe('All 14 devices there.');
  expect(told({ affected: 14, since: '2026-11-21T08:42:00.000Z' })).toBe(
    'All 14 devices behind it, most of them since 2026-11-21 08:42 UTC.',
  );
});

it('leads to the slow devices of every cause at once, where there are any', () => {
  const summaryOf = (slow: number) =>
    ({
      ...{ total: 9, shared: [], slow_by_hour: [0, 2], healths: [{ health: 'partial', count: 9 - slow }], faults: [] },
      counts: [
        { verdict: 'wifi', count: slow },
        { verdict: 'none', count: 9 - slow },
      ],
    }) as unknown as FleetSummary;
  const show = (slow: number, verdict?: (typeof SLOW_CAUSES)[number][]) =>
    renderToStaticMarkup(<VerdictTiles summary={summaryOf(slow)} search={verdict ? { verdict } : {}} onFilter={() => {}} />);
  expect(show(2)).toMatch(/<button[^>]* aria-pressed="false"[^>]*>2 slow now<\/button>/);
  expect(show(2, [...SLOW_CAUSES])).toMatch(/<button[^>]* aria-pressed="true"[^>]*>2 slow now<\/button>/);
  expect(show(0)).not.toContain('slow now</button>');
  expect(show(0)).toContain('0 slow now');
  expect(show(0).replace(/<[^>]+>/g, '|')).toMatch(/Healthy\|+0\|+none\|+Partial\|+9\|+100/);
});

it('counts now into the range of the last hours', () => {
  const show = (slow: number, hours: number[]) =>
    renderToStaticMarkup(
      <VerdictTiles
        summary={
          {
            total: 40,
            healths: [],
            faults: [],
            shared: [],
            slow_by_hour: hours,
            counts: [{ verdict: 'wifi', count: slow }],
          } as unknown as FleetSummary
        }
        search={{}}
        onFilter={() => {}}
      />,
    )
      .replace(/<[^>]+>/g, '')
      .replace(/^.*?(?=\d+ slow now)/, '');
  expect(show(20, [0, 19, 7])).toBe('20 slow now, 0–20 in 3 h');
  expect(show(2, [5, 9])).toBe('2 slow now, 2–9 in 2 h');
  expect(show(4, [])).toBe('4 slow now');
});
