import { describe, expect, it } from 'vitest';
import { writeInstant } from '../../../ui/address/time-range.ts';
import { brushSearch, shownSpan } from '../../../ui/charts/brush-search.ts';
import { spanByKey } from '../../../ui/charts/brush-span.ts';
import { decodeDeviceSearch, STEP_MS } from './device-search.ts';

const strip = { from: Date.parse('2026-11-20T14:00:00Z'), to: Date.parse('2026-11-21T14:00:00Z') };
const field = { strip, stepMs: STEP_MS };

describe('the brushed time in the address', () => {
  it('comes back as it was written', () => {
    const search = decodeDeviceSearch(
      {
        from: writeInstant(strip.from + 3_600_000),
        to: writeInstant(strip.to),
        range: '6h',
        target: 'crm.example',
      },
      strip.to,
    );
    expect(search).toEqual({ range: '6h', from: '2026-11-20T15:00:00Z', to: '2026-11-21T14:00:00Z', target: 'crm.example' });
    expect(shownSpan(search, strip)).toEqual({ from: strip.from + 3_600_000, to: strip.to });
  });

  it('is dropped when it runs backwards, is no time or lies outside', () => {
    expect(decodeDeviceSearch({ from: '2026-11-21T14:00:00Z', to: '2026-11-21T13:00:00Z' })).toEqual({});
    expect(decodeDeviceSearch({ from: 'yesterday', to: 'today', range: '3y' })).toEqual({});
    expect(shownSpan({ from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' }, strip)).toEqual(strip);
  });

  it('is cut to the strip', () => {
    expect(shownSpan({ from: '2026-11-19T00:00:00Z', to: '2026-11-21T00:00:00Z' }, strip).from).toBe(strip.from);
  });
});

describe('an arrow key on an edge of the strip', () => {
  /** The span shown after a key, by way of the address. */
  const press = (grip: 'from' | 'to', key: string, shown = strip) => {
    const moved = spanByKey({ grip, key }, shown, field);
    return shownSpan(decodeDeviceSearch({ ...brushSearch(moved, field) }), strip);
  };

  it('moves it by one step from the whole strip on, either edge', () => {
    expect(press('from', 'ArrowRight')).toEqual({ from: strip.from + STEP_MS, to: strip.to });
    expect(press('to', 'ArrowLeft')).toEqual({ from: strip.from, to: strip.to - STEP_MS });
    const once = press('from', 'ArrowRight');
    expect(press('from', 'ArrowRight', once)).toEqual({ from: strip.from + 2 * STEP_MS, to: strip.to });
  });

  it('brings the whole strip back, which the address does not name', () => {
    const once = press('from', 'ArrowUp');
    expect(brushSearch(spanByKey({ grip: 'from', key: 'ArrowLeft' }, once, field), field)).toEqual({});
    expect(spanByKey({ grip: 'from', key: 'Tab' }, strip, field)).toBeUndefined();
  });
});
