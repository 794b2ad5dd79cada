import { describe, expect, it } from 'vitest';
import { TRUE_CAUSE } from './device.ts';
import { planFleet, targetsOf } from './plan-fleet.ts';

const count = <T>(list: readonly T[], is: (item: T) => boolean): number => list.filter(is).length;

describe('the planned fleet', () => {
  it('has 200 devices on four sites with their faults and silences', () => {
    const fleet = planFleet(200, 1);
    const faults = (kind: string) => count(fleet, ({ fault }) => fault?.kind === kind);
    expect(fleet).toHaveLength(200);
    expect(new Set(fleet.map(({ name }) => name)).size).toBe(200);
    expect(new Set(fleet.map(({ name }) => name.slice(0, 3)))).toEqual(new Set(['LIS', 'TLS', 'KRK', 'HAM']));
    expect(Object.keys(TRUE_CAUSE).map(faults)).toEqual([9, 3, 5, 2, 1, 3, 2, 2]);
    expect(count(fleet, ({ paused }) => paused !== null)).toBe(3);
    expect(count(fleet, ({ silentFromMs }) => silentFromMs !== null)).toBe(2);
    expect(count(fleet, ({ refusedFromMs }) => refusedFromMs !== null)).toBe(1);
    expect(count(fleet, ({ declined }) => declined)).toBe(1);
    expect(
      count(fleet, ({ withoutLocation, os, connection }) => withoutLocation && os === 'Windows 11' && connection === 'wifi'),
    ).toBe(2);
    expect(count(fleet, ({ face }) => face === 'headless')).toBeGreaterThan(10);
    expect(count(fleet, ({ protocolsBehind }) => protocolsBehind === 1)).toBeGreaterThan(3);
    expect(count(fleet, ({ strict }) => strict)).toBeGreaterThan(1);
    expect(count(fleet, ({ connection }) => connection === 'wired')).toBeGreaterThan(40);
    expect(count(fleet, ({ sleep }) => sleep !== null)).toBeGreaterThan(40);
  });

  it('measures to what its devices measure to, each target once', () => {
    const sites = (...hosts: string[]) => hosts.map((host) => `https://${host}.fennmark.example/`);
    const { traceTargets, sessionTargets } = targetsOf(planFleet(200, 1));
    expect(traceTargets).toEqual(['edge.fennmark.example']);
    expect(sessionTargets).toEqual(sites('crm', 'docs', 'erp', 'mail', 'video'));
    const lisbon = planFleet(200, 1).filter(({ name }) => name.startsWith('LIS'));
    expect(targetsOf(lisbon).sessionTargets).toEqual(sites('crm', 'docs', 'mail'));
  });

  it('refuses only devices whose agent is older than that of any other', () => {
    const versions = (isRefused: boolean) =>
      new Set(
        planFleet(200, 1).flatMap((device) => ((device.refusedFromMs !== null) === isRefused ? [device.agentVersion] : [])),
      );
    expect(versions(true)).toEqual(new Set(['1.2.7']));
    expect(versions(false)).toEqual(new Set(['1.4.2', '1.4.1', '1.3.9']));
  });

  it('is the same for the same seed and another for another', () => {
    expect(planFleet(200, 7)).toEqual(planFleet(200, 7));
    expect(planFleet(200, 7)).not.toEqual(planFleet(200, 8));
  });

  it.each([1, 5, 12, 40, 5000])('has exactly %i devices, each fate that is not rare at least once from nine on', (size) => {
    const fleet = planFleet(size, 1);
    expect(fleet).toHaveLength(size);
    expect(new Set(fleet.map(({ name }) => name)).size).toBe(size);
    expect(fleet.map(({ index }) => index)).toEqual(fleet.map((_device, at) => at));
    const fates = new Set(fleet.flatMap(({ fault }) => (fault ? [fault.kind] : [])));
    expect(fates.size).toBe(size < 100 ? Math.min(size, 5) : 8);
  });
});
