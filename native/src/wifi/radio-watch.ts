import { measured } from '../reading.ts';
import { type RadioCounters, type RadioRatios, ratiosBetween } from './radio-counters.ts';
import type { ReadCountedWifi, ReadWifi, WifiReading } from './wifi.ts';

/** Makes what happened since the reading before out of a radio's counters. The first reading has none of it. */
export function createRadioWatch(readWifi: ReadCountedWifi): ReadWifi {
  let before: RadioCounters | undefined;
  return async (request) => {
    const { counters, ...reading } = await readWifi(request);
    const ratios = before && counters ? ratiosBetween(before, counters) : {};
    before = counters;
    return { ...reading, ...readingsOf(ratios) };
  };
}

type Counted = Pick<WifiReading, keyof RadioRatios>;

function readingsOf(ratios: RadioRatios): Counted {
  return Object.fromEntries(Object.entries(ratios).map(([key, value]) => [key, measured(value)]));
}
