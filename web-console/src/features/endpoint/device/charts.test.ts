import type { JudgedMeasure } from '@svc/contracts/judged/measures';
import { describe, expect, it } from 'vitest';
import { signalLimit } from './charts.tsx';

const signal = (limit: number): JudgedMeasure => ({
  measure: 'wifi_rssi_dbm',
  value: -72,
  limit,
  samples: null,
  failed: 0,
  target: null,
});

describe('the line from which on the signal is blamed', () => {
  it('is the policy’s where nothing was judged, and where the verdict went by it', () => {
    const usual = { value: -75, words: 'blamed at −75\u202fdBm and below' };
    expect(signalLimit(null, -75)).toEqual(usual);
    expect(signalLimit([signal(-75)], -75)).toEqual(usual);
  });

  it('is the nearer one that the verdict went by, with the reason', () => {
    expect(signalLimit([signal(-71)], -75)).toEqual({
      value: -71,
      words: 'blamed at −71\u202fdBm and below while the gateway suffers',
    });
  });
});
