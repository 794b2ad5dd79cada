import { UNAVAILABLE_CODES } from '@svc/contracts/verdict';
import { describe, expect, it } from 'vitest';
import { readWifiRecording, replayWifi } from '../testing/recordings.ts';
import * as darwin from './darwin.ts';
import { describeWifi, describeWirelessExtensions, readWifi } from './linux.ts';
import type { RadioRatios } from './radio-counters.ts';
import { signalPercentOf } from './silent-radio.ts';
import type { WifiReading } from './wifi.ts';
import * as win32 from './win32.ts';

const FIELDS: Exclude<keyof WifiReading, keyof RadioRatios>[] = [
  'connection',
  'interfaceName',
  'rssiDbm',
  'signalPercent',
  'noiseDbm',
  'snrDb',
  'linkRateMbps',
  'channel',
  'frequencyMhz',
  'band',
  'ssid',
];
const connected = () => replayWifi(readWifiRecording('rec-connected'));
const outgoing = { name: 'wlan1', tunnel: false };

describe('a Wi-Fi reading', () => {
  it('holds what the recorded radio said', () => {
    expect(describeWifi(connected(), outgoing, true)).toEqual({
      connection: 'wifi',
      interfaceName: { value: 'wlan1' },
      rssiDbm: { value: -27 },
      signalPercent: { value: 100 },
      noiseDbm: { value: -92 },
      snrDb: { value: 65 },
      linkRateMbps: { value: 702 },
      channel: { value: 36 },
      frequencyMhz: { value: 5180 },
      band: { value: '5' },
      ssid: { value: 'Bureau-Été' },
      counters: {
        link: 'wlan1 5180',
        connectedSeconds: 8,
        frames: { sent: 43, retried: 0, tries: 43, failed: 0, beaconsLost: 0 },
        airtime: { activeMs: 208, busyMs: 26, transmitMs: undefined },
      },
    });
  });

  it('looks at the radio below a tunnel', () => {
    expect(describeWifi(connected(), { name: 'tun0', tunnel: true }, true)).toMatchObject({
      connection: 'wifi',
      rssiDbm: { value: -27 },
    });
  });

  it('withholds the SSID and does not even open the scan for it', () => {
    const kernel = connected();
    expect(describeWifi(kernel, outgoing, false).ssid).toEqual({ unavailable: 'withheld' });
    expect(kernel.asked.filter((key) => key.startsWith('scan'))).toEqual([]);
  });

  it('says wired where the default route leaves by cable', () => {
    const reading = describeWifi(connected(), { name: 'eth0', tunnel: false }, true);
    expect(reading).toMatchObject({
      connection: 'wired',
      interfaceName: { value: 'eth0' },
      rssiDbm: { unavailable: 'wired' },
      ssid: { unavailable: 'wired' },
    });
  });

  it('says not connected where the radio is not associated, and tunnel where only that is there', () => {
    const alone = () => replayWifi(readWifiRecording('rec-disconnected'));
    expect(describeWifi(alone(), undefined, true)).toMatchObject({
      connection: 'unknown',
      rssiDbm: { unavailable: 'not_connected' },
    });
    expect(describeWifi(alone(), { name: 'tun0', tunnel: true }, true)).toMatchObject({ rssiDbm: { unavailable: 'tunnel' } });
    expect(describeWifi(replayWifi({}), undefined, true)).toMatchObject({ rssiDbm: { unavailable: 'not_supported' } });
  });

  it('has no place for a hardware address', () => {
    const reading = describeWifi(connected(), outgoing, true);
    expect(Object.keys(reading).sort()).toEqual([...FIELDS, 'counters'].sort());
    // The recorded access point is 02:00:00:00:00:00.
    expect(JSON.stringify(reading)).not.toMatch(/(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}|020000000000/i);
  });

  it('is given on this very machine with a value or a code in each field', async () => {
    const reading = await readWifi({ collectSsid: false });
    for (const field of FIELDS.filter((name) => name !== 'connection')) {
      const value = reading[field];
      expect(typeof value === 'object' && ('value' in value || UNAVAILABLE_CODES.includes(value.unavailable))).toBe(true);
    }
  });
});

describe('the wireless extensions, where nl80211 is missing', () => {
  const links = [{ name: 'wlan0', rssiDbm: -60, noiseDbm: undefined }];

  it('give the signal of the outgoing radio and nothing that they do not know', () => {
    expect(describeWirelessExtensions(links, { name: 'wlan0', tunnel: false }, 'not_supported')).toMatchObject({
      connection: 'wifi',
      interfaceName: { value: 'wlan0' },
      rssiDbm: { value: -60 },
      signalPercent: { value: 80 },
      noiseDbm: { unavailable: 'not_supported' },
      snrDb: { unavailable: 'not_supported' },
      ssid: { unavailable: 'not_supported' },
    });
  });

  it('are passed over on a wired machine, and say why there is nothing', () => {
    expect(describeWirelessExtensions(links, { name: 'eth0', tunnel: false }, 'permission')).toMatchObject({
      connection: 'wired',
    });
    expect(describeWirelessExtensions([], undefined, 'permission')).toMatchObject({ rssiDbm: { unavailable: 'permission' } });
  });
});

describe.runIf(process.platform === 'linux')("other systems' adapters on this one", () => {
  it.each([
    ['darwin', darwin],
    ['win32', win32],
  ])('of %s say in every field that there is nothing to read', async (_name, adapter) => {
    const { connection, ...fields } = await adapter.readWifi({ collectSsid: true });
    expect(connection).toBe('unknown');
    expect(Object.keys(fields).sort()).toEqual(FIELDS.filter((name) => name !== 'connection').sort());
    for (const field of Object.values(fields)) expect(field).toEqual({ unavailable: 'not_supported' });
  });
});

describe('signal percent', () => {
  it.each([
    [-40, 100],
    [-50, 100],
    [-75, 50],
    [-82, 36],
    [-100, 0],
    [-110, 0],
  ])('%i dBm is %i %%', (dbm, percent) => {
    expect(signalPercentOf(dbm)).toBe(percent);
  });
});
