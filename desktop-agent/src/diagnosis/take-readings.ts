import type { UnavailableCode } from '@svc/contracts/verdict';
import type { Capability, CapabilityName, ReportCapabilities } from '@svc/native/capabilities/capabilities';
import type { CreateContextReader } from '@svc/native/context/context';
import type { TracePath } from '@svc/native/path/path';
import { type Reading, readingValue } from '@svc/native/reading';
import type { ReadResolvers } from '@svc/native/resolvers/resolvers';
import type { ReadWifi } from '@svc/native/wifi/wifi';
import type { GatewayMeasurement, MeasureGateway } from '@svc/probes/gateway';
import { messageOf } from '../agent-error.ts';
import type { Collect } from '../privacy/collect.ts';
import { round } from '../result.ts';
import type { Finding } from './diagnosis.ts';

/** What a diagnosis tries. Each may throw: what it throws is named in its place, and the others go on. */
export interface Instruments {
  readWifi: ReadWifi;
  measureGateway: MeasureGateway;
  tracePath: TracePath;
  readResolvers: ReadResolvers;
  createContextReader: CreateContextReader;
  reportCapabilities: ReportCapabilities;
}

export interface Readings {
  readonly findings: readonly Finding[];
  readonly capabilities: readonly Capability[];
  readonly gateway: Reading<GatewayMeasurement> | undefined;
}

const LOOPBACK = { 4: '127.0.0.1', 6: '::1' } as const;
const PROBES = 3;
/** Three rounds: gateways limit how often they answer. */
const LIMITS = { rounds: 3, roundMs: 500, timeoutMs: 1000, maxHops: 4 } as const;

type Value = Finding['value'];

/** Takes every reading once. Packets go to this device's own gateway and to itself. Never throws. */
export async function takeReadings(instruments: Instruments, collect: Readonly<Collect>): Promise<Readings> {
  const capabilities = await instruments.reportCapabilities().catch((): Capability[] => []);
  const findings: Finding[] = [];
  const note = createNotes(findings, capabilities);
  await note.attempt('wifi', async () => noteWifi(note, await instruments.readWifi({ collectSsid: collect.ssid })));
  const gateway = await note.attempt('gateway', async () => {
    const measured = await instruments.measureGateway({ count: PROBES });
    noteGateway(note, measured, collect);
    return measured;
  });
  for (const family of [4, 6] as const) {
    await note.attempt(`path.ipv${family}`, async () => await notePath(note, instruments.tracePath, { family, gateway }));
  }
  await note.attempt('resolvers', async () => {
    const reading = await instruments.readResolvers();
    const found = readingValue(reading);
    note.add(
      'resolvers',
      found && collect.gatewayIp ? { value: found.servers.join(' ') } : found ? { value: found.servers.length } : reading,
      'resolvers',
    );
  });
  await note.attempt('context', async () => {
    const { onBattery, metered, vpn, roams, cellular } = await instruments.createContextReader().read();
    note.add('context.on_battery', onBattery, 'on_battery');
    note.add('context.metered', metered, 'metered');
    note.add('context.vpn', vpn, 'vpn');
    note.add('context.roams', roams, 'roams');
    note.add('cellular.rsrp.dbm', cellular.rsrpDbm, 'cellular');
    note.add('cellular.rsrq.db', cellular.rsrqDb, 'cellular');
    note.add('cellular.sinr.db', cellular.sinrDb, 'cellular');
  });
  return { findings, capabilities, gateway };
}

/** A reading of any type of value, as far as a finding can show it. */
type Shown = Reading<NonNullable<Value>> | Reading<unknown>;

interface Notes {
  add: (name: string, reading: Shown, how: CapabilityName | { readonly words: string }) => void;
  /** Runs a part; where it throws, the part has one finding with its error. */
  attempt: <T>(name: string, part: () => Promise<T>) => Promise<T | undefined>;
}

function createNotes(findings: Finding[], capabilities: readonly Capability[]): Notes {
  const detailOf = (how: CapabilityName): Capability | undefined => capabilities.find((one) => one.name === how);
  return {
    add(name, reading, how) {
      const unavailable = 'unavailable' in reading ? reading.unavailable : null;
      const capability = typeof how === 'string' ? detailOf(how) : undefined;
      const words = typeof how === 'string' ? capability?.detail : how.words;
      // The capability's words are about its own reason: beside another one they would mislead.
      const fits = capability === undefined || (capability.unavailable ?? null) === unavailable;
      findings.push({
        name,
        value: 'value' in reading ? (reading.value as Value) : null,
        unavailable,
        detail: fits ? (words ?? '') : unavailable === null ? '' : REASONS[unavailable],
      });
    },
    async attempt(name, part) {
      try {
        return await part();
      } catch (error) {
        findings.push({ name, value: null, unavailable: 'not_supported', detail: `failed: ${messageOf(error)}` });
        return undefined;
      }
    },
  };
}

const REASONS: Readonly<Record<UnavailableCode, string>> = {
  not_supported: 'this system or its driver does not report it',
  permission: 'the system refuses to tell this user',
  withheld: 'switched off on this device',
  no_target: 'there is nothing to measure',
  wired: 'this device is connected by cable',
  tunnel: 'all traffic goes through a tunnel',
  not_connected: 'the radio is not connected to a network',
  no_reading: 'there is no reading yet',
  asleep: 'there is no reading',
  not_built: 'not built for this system',
  measuring: 'not measured yet',
};

function noteWifi(note: Notes, wifi: Awaited<ReturnType<ReadWifi>>): void {
  note.add('connection', { value: wifi.connection }, { words: 'what carries the default route' });
  // Without a radio in use the reader names what carries the route: beside it stands gateway.interface, and here it would pass for a radio.
  note.add('wifi.interface', wifi.connection === 'wired' ? { unavailable: 'wired' } : wifi.interfaceName, 'wifi');
  note.add('wifi.rssi.dbm', wifi.rssiDbm, 'wifi');
  note.add('wifi.signal.percent', wifi.signalPercent, 'wifi');
  note.add('wifi.noise.dbm', wifi.noiseDbm, 'noise');
  note.add('wifi.snr.db', wifi.snrDb, 'noise');
  note.add('wifi.link.rate.mbps', wifi.linkRateMbps, 'wifi');
  note.add('wifi.channel', wifi.channel, 'wifi');
  note.add('wifi.frequency.mhz', wifi.frequencyMhz, 'wifi');
  note.add('wifi.band', wifi.band, 'wifi');
  note.add('wifi.ssid', wifi.ssid, 'ssid');
}

function noteGateway(note: Notes, reading: Reading<GatewayMeasurement>, collect: Readonly<Collect>): void {
  const field = (value: NonNullable<Value> | null | undefined): Shown =>
    'unavailable' in reading ? reading : value === null || value === undefined ? { unavailable: 'not_supported' } : { value };
  const found = readingValue(reading);
  const answers = found
    ? { words: `${found.method}, ${found.sent - found.lost} of ${found.sent} came back` }
    : ('gateway' as const);
  note.add('gateway.address', found && !collect.gatewayIp ? { unavailable: 'withheld' } : field(found?.address), 'gateway');
  note.add('gateway.interface', field(found?.interfaceName), 'gateway');
  note.add('gateway.rtt.avg.ms', field(found?.rttAvgMs == null ? null : round(found.rttAvgMs)), answers);
  note.add('gateway.packet.loss.ratio', field(found?.lossRatio), answers);
}

interface PathPlan {
  readonly family: 4 | 6;
  readonly gateway: Reading<GatewayMeasurement> | undefined;
}

/** To the gateway where it is of this family, else to this very device: that shows whether probing works at all. */
async function notePath(note: Notes, tracePath: TracePath, { family, gateway }: PathPlan): Promise<void> {
  const found = gateway && readingValue(gateway);
  // A link-local address needs its scope, which a trace does not take.
  const own = found?.family === family && !found.address.startsWith('fe80') ? found.address : undefined;
  const trace = await tracePath({ destination: own ?? LOOPBACK[family], ...LIMITS });
  const hops = readingValue(trace);
  const where = own === undefined ? 'to this device itself alone, which shows that probing works' : "to this device's gateway";
  const outcome =
    hops && (hops.reached ? `reached by ${hops.method}` : `not reached by ${hops.method}${hops.error ? `: ${hops.error}` : ''}`);
  const name = `path.ipv${family}.hops`;
  if (hops) note.add(name, { value: hops.hops.length }, { words: `${where}, ${outcome}` });
  else note.add(name, trace, family === 4 ? 'path_ipv4' : 'path_ipv6');
}
