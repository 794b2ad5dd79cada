import type { Band } from './wifi.ts';

/** The band of a channel's centre in MHz. */
export function bandOf(frequencyMhz: number): Band | undefined {
  if (frequencyMhz >= 2400 && frequencyMhz < 2500) return '2.4';
  if (frequencyMhz >= 4900 && frequencyMhz < 5925) return '5';
  if (frequencyMhz >= 5925 && frequencyMhz <= 7125) return '6';
  return frequencyMhz > 57_000 && frequencyMhz < 71_000 ? '60' : undefined;
}

/** IEEE 802.11 channel number of a centre frequency in MHz. */
export function channelOf(frequencyMhz: number): number | undefined {
  if (frequencyMhz === 2484) return 14;
  if (frequencyMhz === 5935) return 2;
  const band = bandOf(frequencyMhz);
  if (band === '2.4') return wholeChannel((frequencyMhz - 2407) / 5);
  if (band === '5') return wholeChannel((frequencyMhz - (frequencyMhz <= 4980 ? 4000 : 5000)) / 5);
  if (band === '6') return wholeChannel((frequencyMhz - 5950) / 5);
  return band === '60' ? wholeChannel((frequencyMhz - 56_160) / 2160) : undefined;
}

const wholeChannel = (channel: number): number | undefined => (Number.isInteger(channel) && channel > 0 ? channel : undefined);
