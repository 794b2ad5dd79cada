import { describe, expect, it } from 'vitest';
import { decodeDeviceSearch, encodeTime, shownSpan } from './device-search.ts';

const strip = { from: Date.parse('2026-11-20T14:00:00Z'), to: Date.parse('2026-11-21T14:00:00Z') };

describe('the brushed time in the address', () => {
  it('comes back as it was written', () => {
    const search = decodeDeviceSearch({
      from: encodeTime(strip.from + 3_600_000),
      to: encodeTime(strip.to),
      range: '6h',
      target: 'crm.example',
    });
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
