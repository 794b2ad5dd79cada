import type { Capability } from '@svc/native/capabilities/capabilities';
import { measured, unavailable } from '@svc/native/reading';
import { describe, expect, it } from 'vitest';
import { COLLECT_DEFAULTS, COLLECT_NOTHING } from '../privacy/collect.ts';
import { gateway, wifi } from '../testing/readings.ts';
import { diagnoseDevice } from './diagnose-device.ts';
import type { Diagnosis } from './diagnosis.ts';
import { diagnosisText } from './diagnosis-text.ts';
import { describePermissions } from './permissions.ts';
import type { Instruments } from './take-readings.ts';

const measuredGateway = gateway({ lost: 1, sent: 3, lossRatio: 1 / 3, rttAvgMs: 1.5 });
const nothing = unavailable('not_supported');
const capabilities: Capability[] = [
  { name: 'wifi', available: true, detail: 'CoreWLAN on en0' },
  { name: 'ssid', available: false, unavailable: 'permission', detail: 'needs location permission' },
  { name: 'gateway', available: true, detail: 'route table by sysctl' },
  { name: 'path_icmp', available: true, detail: 'open to every user' },
];

const healthy: Instruments = {
  readWifi: async ({ collectSsid }) => wifi({ ssid: unavailable(collectSsid ? 'permission' : 'withheld') }),
  measureGateway: async () => measuredGateway,
  tracePath: async ({ destination }) =>
    measured({
      destination,
      family: 4,
      method: 'icmp',
      reached: true,
      hops: [{ ttl: 1, addresses: [destination], sent: 1, received: 1, rttsMs: [1], kind: 'destination' }],
      sent: 1,
    }),
  readResolvers: async () => measured({ servers: ['192.168.1.1', 'fe80::1%en0'], source: '/etc/resolv.conf' }),
  createContextReader: () => ({
    read: async () => ({
      onBattery: measured(true),
      metered: nothing,
      vpn: measured(false),
      roams: nothing,
      cellular: { rsrpDbm: nothing, rsrqDb: nothing, sinrDb: nothing },
    }),
  }),
  reportCapabilities: async () => capabilities,
};

const look = (instruments: Partial<Instruments>, collect = COLLECT_DEFAULTS): Promise<Diagnosis> =>
  diagnoseDevice({ ...healthy, ...instruments }, { agentVersion: '1.2.3', collect, state: [] });
const find = (diagnosis: Diagnosis, name: string) => diagnosis.readings.find((one) => one.name === name);

describe('a diagnosis', () => {
  it('has each reading with its value and how it was taken, or why there is none', async () => {
    const diagnosis = await look({});
    expect(diagnosis).toMatchObject({ version: 1, agent: { version: '1.2.3' }, system: { platform: process.platform } });
    expect(find(diagnosis, 'wifi.rssi.dbm')).toMatchObject({
      value: expect.any(Number),
      unavailable: null,
      detail: 'CoreWLAN on en0',
    });
    expect(find(diagnosis, 'wifi.ssid')).toEqual({
      name: 'wifi.ssid',
      value: null,
      unavailable: 'permission',
      detail: 'needs location permission',
    });
    expect(find(diagnosis, 'gateway.rtt.avg.ms')).toMatchObject({ value: 1.5, detail: 'icmp, 2 of 3 came back' });
    expect(find(diagnosis, 'path.ipv4.hops')).toMatchObject({ value: 1, detail: "to this device's gateway, reached by icmp" });
    expect(find(diagnosis, 'path.ipv6.hops')?.detail).toBe(
      'to this device itself alone, which shows that probing works, reached by icmp',
    );
    expect(find(diagnosis, 'context.on_battery')).toMatchObject({ value: true });
    const names = diagnosis.readings.map((one) => one.name);
    expect(new Set(names).size).toBe(names.length);
    for (const { value, unavailable: code } of diagnosis.readings) expect(value === null).toBe(code !== null);
  });

  it('names what throws in its place, and goes on', async () => {
    const broken = (words: string) => () => {
      throw new Error(words);
    };
    const diagnosis = await look({
      readWifi: async () => broken('no radio library')(),
      measureGateway: async () => broken('no route library')(),
      tracePath: async () => broken('no probes')(),
      readResolvers: async () => broken('no resolvers')(),
      createContextReader: broken('no context'),
      reportCapabilities: async () => broken('no capabilities')(),
    });
    expect(diagnosis.readings).toEqual(
      [
        ['wifi', 'no radio library'],
        ['gateway', 'no route library'],
        ['path.ipv4', 'no probes'],
        ['path.ipv6', 'no probes'],
        ['resolvers', 'no resolvers'],
        ['context', 'no context'],
      ].map(([name, words]) => ({ name, value: null, unavailable: 'not_supported', detail: `failed: ${words}` })),
    );
    expect(diagnosis.permissions).toHaveLength(3);
    expect(diagnosisText(diagnosis)).toContain('failed: no radio library');
  });

  it('keeps back what is switched off on this device', async () => {
    const diagnosis = await look({}, COLLECT_NOTHING);
    expect(find(diagnosis, 'wifi.ssid')).toMatchObject({ unavailable: 'withheld' });
    expect(find(diagnosis, 'gateway.address')).toMatchObject({ unavailable: 'withheld' });
    expect(find(diagnosis, 'resolvers')?.value).toBe(2);
    expect(JSON.stringify(diagnosis)).not.toContain('192.168');
  });

  it('is printed whole', async () => {
    const diagnosis = await look({});
    const text = diagnosisText({ ...diagnosis, state: [{ name: 'spool', ok: true, detail: 'not used yet' }] });
    for (const { name } of diagnosis.readings) expect(text).toContain(`  ${name} `);
    expect(text).toMatch(/wifi\.ssid +unavailable: permission {2}\(needs location permission\)/);
    expect(text).toMatch(/spool +not used yet/);
  });
});

describe('permissions', () => {
  const of = (platform: string, reachable: boolean) =>
    describePermissions({ findings: [], capabilities, gateway: gateway({ reachable }) }, platform).map(({ state }) => state);

  it('are what the tries showed', () => {
    expect(of('linux', true)).toEqual(['not_needed', 'granted', 'not_needed']);
    expect(of('win32', true)).toEqual(['missing', 'granted', 'not_needed']);
    expect(of('darwin', true)).toEqual(['missing', 'granted', 'granted']);
    expect(of('darwin', false)).toEqual(['missing', 'granted', 'unknown']);
  });

  it('are unknown where nothing was tried', () => {
    expect(
      describePermissions({ findings: [], capabilities: [], gateway: undefined }, 'darwin').map(({ state }) => state),
    ).toEqual(['unknown', 'unknown', 'unknown']);
  });
});
