import { describe, expect, it } from 'vitest';
import { findSharedCauses, groupsOfKind, type VerdictGroup } from './shared-causes.ts';

const group = (part: Partial<VerdictGroup>): VerdictGroup => ({
  site: 'Lisbon',
  gateway: '10.20.3.1',
  cause: 'none',
  count: 1,
  sinceMs: null,
  ...part,
});

describe('shared causes', () => {
  it('begin when half of their devices were so, not with the one that is slow for long', () => {
    const found = findSharedCauses([
      group({ gateway: 'a', cause: 'isp', count: 1, sinceMs: 100 }),
      group({ gateway: 'b', cause: 'isp', count: 4, sinceMs: 900 }),
      group({ gateway: 'c', cause: 'isp', count: 4, sinceMs: 950 }),
    ]);
    expect(found.find(({ gateway }) => gateway === null)).toMatchObject({ affected: 9, sinceMs: 900 });
  });

  it('names gateway, share and beginning from three devices on', () => {
    const found = findSharedCauses([
      group({ count: 5 }),
      group({ cause: 'wifi', count: 9, sinceMs: 500 }),
      group({ cause: 'isp', count: 2 }),
    ]);
    expect(found).toEqual([
      {
        cause: 'wifi',
        site: 'Lisbon',
        gateway: '10.20.3.1',
        affected: 9,
        of: 16,
        sinceMs: 500,
        sentence: '9 of 16 devices at Lisbon behind gateway 10.20.3.1 are slow because of Wi-Fi.',
      },
    ]);
  });

  it('count devices with another kind of fault among the rest', () => {
    const groups = [
      group({ cause: 'network', fault: 'dns_slow', count: 4, sinceMs: 9 }),
      group({ cause: 'network', fault: 'certificate', count: 2, sinceMs: 1 }),
      group({ cause: 'network', fault: null, count: 3 }),
    ];
    const affected = (kind: VerdictGroup['fault']) =>
      findSharedCauses(groupsOfKind(groups, kind ?? null)).map((one) => [one.affected, one.of, one.sinceMs]);
    expect(affected('dns_slow')).toEqual([[4, 9, 9]]);
    expect(affected('certificate')).toEqual([]);
    expect(affected(null)).toEqual([[3, 9, null]]);
  });

  it('falls back to the site where no single gateway explains it, and does not say the same thing twice', () => {
    const found = findSharedCauses([
      group({ gateway: 'a', cause: 'isp', count: 2, sinceMs: 7 }),
      group({ gateway: 'b', cause: 'isp', count: 2, sinceMs: 5 }),
      group({ gateway: null, cause: 'local', count: 3 }),
      group({ site: 'Toulouse', gateway: 'c', cause: 'isp', count: 5 }),
    ]);
    expect(found.map(({ site, gateway, cause, affected, of, sinceMs }) => [site, gateway, cause, affected, of, sinceMs])).toEqual(
      [
        ['Toulouse', 'c', 'isp', 5, 5, null],
        ['Lisbon', null, 'isp', 4, 7, 5],
        ['Lisbon', null, 'local', 3, 7, null],
      ],
    );
    expect(found[0]?.sentence).toBe('All 5 devices at Toulouse behind gateway c are slow because of the ISP.');
  });

  it('does not join the same gateway address of two sites, nor healthy and unexplained devices', () => {
    const found = findSharedCauses([
      group({ site: 'A', gateway: '192.168.1.1', cause: 'wifi', count: 2 }),
      group({ site: 'B', gateway: '192.168.1.1', cause: 'wifi', count: 2 }),
      group({ cause: 'none', count: 50 }),
      group({ cause: 'unknown', count: 50 }),
    ]);
    expect(found).toEqual([]);
  });
});
