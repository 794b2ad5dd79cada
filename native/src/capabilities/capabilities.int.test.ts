import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildMac, type MacMachine, macMissing } from '../testing/mac-machine.ts';
import { CAPABILITIES, type Capability } from './capabilities.ts';
import { createReportCapabilities } from './darwin.ts';
import { reportCapabilities } from './index.ts';
import * as win32 from './win32.ts';

function expectWhole(report: readonly Capability[]): void {
  expect(report.map((one) => one.name)).toEqual(CAPABILITIES);
  for (const one of report) {
    expect(one.detail).not.toBe('');
    expect(one.available).toBe(one.unavailable === undefined);
  }
}
const detailOf = (report: readonly Capability[], name: string): string => report.find((one) => one.name === name)?.detail ?? '';

describe('the report of capabilities', () => {
  it('names each one once, with a reason where it is missing', async () => expectWhole(await reportCapabilities()));

  it.runIf(process.platform === 'linux')('names the library that is missing, instead of ending', async () => {
    const report = await win32.reportCapabilities();
    expectWhole(report);
    expect(detailOf(report, 'gateway')).toContain('iphlpapi.dll');
    expect(detailOf(report, 'path_ipv4')).toContain('iphlpapi.dll');
    expect(detailOf(report, 'wifi')).toContain('wlanapi.dll');
  });
});

const missing = macMissing();
describe.skipIf(missing)("the report on macOS' libraries (stand-ins)", () => {
  let mac: MacMachine;
  beforeAll(() => {
    mac = buildMac();
  });
  afterAll(() => mac.remove());

  it('tells how each is read', async () => {
    const report = await createReportCapabilities(mac.libraries)();
    expectWhole(report);
    const available = report.filter((one) => one.available).map((one) => one.name);
    expect(available).toEqual(
      expect.arrayContaining(['wifi', 'ssid', 'noise', 'gateway', 'gateway_icmp', 'path_ipv4', 'path_ipv6', 'on_battery', 'vpn']),
    );
  });

  it('says what a person has to permit', async () => {
    mac.set({ wifi: 'location-denied', system: 'refused' });
    const report = await createReportCapabilities(mac.libraries)();
    expect(detailOf(report, 'ssid')).toContain('location permission');
    expect(report.find((one) => one.name === 'path_ipv4')).toMatchObject({
      unavailable: 'permission',
      detail: 'icmp socket: EPERM',
    });
    mac.set({});
  });

  it.each([
    ['objc', 'wifi'],
    ['system', 'gateway'],
    ['power', 'on_battery'],
  ] as const)('names a missing %s in the place of %s alone', async (library, name) => {
    const report = await createReportCapabilities({ ...mac.libraries, [library]: '/no/such/library.dylib' })();
    expectWhole(report);
    expect(detailOf(report, name)).toContain('/no/such/library.dylib');
  });
});
