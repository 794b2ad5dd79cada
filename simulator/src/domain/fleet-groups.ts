import type { FaultKind } from './device.ts';

/** Devices that share a place and a fate. */
export interface FleetGroup {
  /** Of a fleet of 200. */
  of200: number;
  site: string;
  prefix: 'LIS' | 'TLS' | 'KRK' | 'HAM';
  gateway: string | null;
  ispEdge: string;
  /** Share on Wi-Fi, 0 to 1. */
  wifi: number;
  /** Only where its share comes to a whole device, so that a small fleet keeps its healthy ones. */
  isRare?: true;
  fate?: FaultKind | 'paused' | 'silent' | 'refused' | 'declined' | 'without_location';
}

const lisbon = { prefix: 'LIS', ispEdge: '198.51.100.1' } as const;
const toulouse = { site: 'Toulouse', prefix: 'TLS' } as const;
const krakow = { prefix: 'KRK', ispEdge: '203.0.113.65' } as const;
const hamburg = { prefix: 'HAM', ispEdge: '203.0.113.129' } as const;

/** Four sites of one firm. The last group takes what rounding leaves over. */
export const FLEET_GROUPS: readonly FleetGroup[] = [
  { ...lisbon, of200: 9, site: 'Lisbon, floor 3', gateway: '10.20.3.1', wifi: 1, fate: 'weak_wifi' },
  { ...toulouse, of200: 5, gateway: '10.40.2.1', ispEdge: '203.0.113.33', wifi: 0.6, fate: 'slow_isp' },
  { ...krakow, of200: 3, site: 'Kraków, lab', gateway: '10.30.8.1', wifi: 0, fate: 'lossy_gateway' },
  { ...hamburg, of200: 2, site: 'Hamburg, floor 1', gateway: '10.50.1.1', wifi: 0.5, fate: 'slow_saas' },
  { ...hamburg, of200: 1, site: 'Hamburg, remote', gateway: null, wifi: 1, fate: 'slow_unseen' },
  { ...hamburg, of200: 3, site: 'Hamburg, floor 2', gateway: '10.50.2.1', wifi: 0.7, fate: 'paused' },
  { ...krakow, of200: 2, site: 'Kraków', gateway: '10.30.1.1', wifi: 1, fate: 'silent' },
  { ...lisbon, of200: 1, site: 'Lisbon, floor 1', gateway: '10.20.1.1', wifi: 1, fate: 'refused' },
  { ...toulouse, of200: 1, gateway: '10.40.1.1', ispEdge: '203.0.113.1', wifi: 1, fate: 'declined' },
  { ...lisbon, of200: 2, site: 'Lisbon, floor 2', gateway: '10.20.2.1', wifi: 1, fate: 'without_location' },
  { ...lisbon, of200: 5, site: 'Lisbon, floor 3', gateway: '10.20.3.1', wifi: 0.4 },
  { ...toulouse, of200: 10, gateway: '10.40.1.1', ispEdge: '203.0.113.1', wifi: 0.7 },
  { ...krakow, of200: 38, site: 'Kraków', gateway: '10.30.1.1', wifi: 0.6 },
  { ...hamburg, of200: 30, site: 'Hamburg, floor 1', gateway: '10.50.1.1', wifi: 0.6 },
  { ...hamburg, of200: 24, site: 'Hamburg, floor 2', gateway: '10.50.2.1', wifi: 0.6 },
  { ...lisbon, of200: 34, site: 'Lisbon, floor 1', gateway: '10.20.1.1', wifi: 0.6 },
  { ...lisbon, of200: 23, site: 'Lisbon, floor 2', gateway: '10.20.2.1', wifi: 0.6 },
  { ...krakow, of200: 3, site: 'Kraków, annex', gateway: '10.30.9.1', wifi: 0.5, fate: 'slow_names', isRare: true },
  { ...hamburg, of200: 2, site: 'Hamburg, floor 3', gateway: '10.50.3.1', wifi: 0.5, fate: 'expired_certificate', isRare: true },
  { ...toulouse, of200: 2, gateway: '10.40.3.1', ispEdge: '203.0.113.34', wifi: 0.5, fate: 'lossy_path', isRare: true },
];

/** How many devices each group has in a fleet of `count`: every fate that is not rare has at least one, from seventeen devices on every group. */
export function sizeGroups(count: number): number[] {
  const sizes = FLEET_GROUPS.map(({ of200, fate, isRare }) =>
    Math.max(fate && !isRare ? 1 : 0, Math.floor((of200 * count) / 200)),
  );
  let rest = count - sizes.reduce((sum, size) => sum + size, 0);
  for (let at = sizes.length - 1; rest > 0; at = at === 0 ? sizes.length - 1 : at - 1) {
    if (FLEET_GROUPS[at]?.fate === undefined) {
      sizes[at] = (sizes[at] ?? 0) + 1;
      rest -= 1;
    }
  }
  // Fewer devices than fates: the first ones are simulated.
  for (let at = sizes.length - 1; rest < 0; at -= 1) {
    const taken = Math.min(sizes[at] ?? 0, -rest);
    sizes[at] = (sizes[at] ?? 0) - taken;
    rest += taken;
  }
  return sizes;
}
