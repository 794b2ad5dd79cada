import { decodeVerdict } from '@svc/contracts/judged/codec';
import { isMeasuring } from '@svc/contracts/judged/fault';
import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import type { UnavailableCode } from '@svc/contracts/verdict';
import type { ContextReader, ContextReading } from '@svc/native/context/context';
import type { Reading } from '@svc/native/reading';
import type { ResolverMeasurement } from '@svc/probes/resolver';
import type { SessionMeasurement } from '@svc/probes/session';
import { createFields, type EndpointResult, type Field, type Fields } from '../result.ts';
import { createCaptivePortal } from './captive-portal.ts';

/** Null: nobody tells. */
export interface ContextNow {
  onBattery: boolean | null;
  metered: boolean | null;
  vpn: boolean | null;
  captivePortal: boolean | null;
  resumed: boolean;
}

/** What the system says around the measurements of a device. */
export interface DeviceContext {
  now(): ContextNow;
  /** Asks the system; may start a child process, so not for every cycle. Never rejects. */
  refresh(): Promise<void>;
  /** What only a window is told; null: it does not know. */
  noteBattery(onBattery: boolean | null): void;
  noteSession(session: SessionMeasurement): void;
  noteResolvers(resolvers: readonly ResolverMeasurement[]): void;
  /** The machine woke up: results are marked until the next verdict is out. */
  noteResumed(): void;
  /** Another network: what was seen in the former one is forgotten. */
  networkChanged(): void;
  /** Adds to a result, as it was measured, what belongs to its kind. */
  attach(result: EndpointResult): void;
}

export interface DeviceContextDeps {
  reader: ContextReader;
  steady(): number;
  /** How long a session says something about the network. */
  sessionKeptMs(): number;
}

const FLAGS = ['onBattery', 'metered', 'vpn', 'captivePortal'] as const satisfies readonly (keyof ContextNow)[];
type Flag = (typeof FLAGS)[number];
/** Why a device does not tell something hardly ever changes, and costs bytes each time. */
const WHY_EACH_MS = 3_600_000;

const flagOf = (reading: Reading<boolean> | undefined): boolean | null => (reading && 'value' in reading ? reading.value : null);
const codeOf = (reading: Reading<unknown> | undefined): UnavailableCode =>
  reading && 'unavailable' in reading ? reading.unavailable : 'not_supported';

function attachCellular(result: EndpointResult, { cellular, roams }: ContextReading): void {
  const fields = createFields(result);
  if ('value' in roams && roams.value > 0) fields.attribute(ATTRIBUTES.roaming, { value: String(roams.value) });
  const signals = { 'rsrp.dbm': cellular.rsrpDbm, 'rsrq.db': cellular.rsrqDb, 'sinr.db': cellular.sinrDb };
  for (const [key, reading] of Object.entries(signals)) {
    // A device without a modem says nothing of one, a thousand times a day.
    if ('value' in reading || !['not_supported', 'not_built', 'no_target'].includes(reading.unavailable))
      fields.metric(key, reading);
  }
  result.present ||= Object.keys(result.metrics).length > 0;
}

/** A verdict that only says that measuring has begun. */
function isToCome({ attributes }: EndpointResult): boolean {
  const coverage = decodeVerdict(attributes[ATTRIBUTES.judged] ?? '')?.coverage;
  return coverage !== undefined && coverage !== null && isMeasuring(coverage);
}

export function createDeviceContext({ reader, steady, sessionKeptMs }: DeviceContextDeps): DeviceContext {
  const portal = createCaptivePortal(steady, sessionKeptMs);
  let reading: ContextReading | undefined;
  let toldBattery: boolean | null = null;
  let resumed = false;
  let toldWhyMs = Number.NEGATIVE_INFINITY;
  const now = (): ContextNow => ({
    onBattery: flagOf(reading?.onBattery) ?? toldBattery,
    metered: flagOf(reading?.metered),
    vpn: flagOf(reading?.vpn),
    captivePortal: portal.isSuspected(),
    resumed,
  });
  const flag = (name: Flag): Field<string> => {
    const value = now()[name];
    if (value !== null) return { value: String(value) };
    return { unavailable: name === 'captivePortal' ? 'no_target' : codeOf(reading?.[name]) };
  };
  const attachAll = (fields: Fields): void => {
    const tellsWhy = steady() - toldWhyMs >= WHY_EACH_MS;
    if (tellsWhy) toldWhyMs = steady();
    for (const name of FLAGS) {
      const field = flag(name);
      if (tellsWhy || (field && 'value' in field)) fields.attribute(ATTRIBUTES[name], field);
    }
  };
  return {
    now,
    async refresh() {
      reading = await reader.read().catch(() => reading);
    },
    noteBattery(onBattery) {
      toldBattery = onBattery;
    },
    noteSession: portal.note,
    networkChanged: portal.forget,
    noteResolvers: portal.noteResolvers,
    noteResumed() {
      resumed = true;
    },
    attach(result) {
      const { canary_type: type } = result;
      const fields = createFields(result);
      if (resumed) fields.attribute(ATTRIBUTES.resumed, { value: 'true' });
      if (type === 'endpoint.wifi' && reading) attachCellular(result, reading);
      if (type === 'endpoint.agent') attachAll(fields);
      if (type === 'endpoint.session' || type === 'endpoint.attribution') {
        const present = now();
        for (const name of FLAGS) if (present[name]) fields.attribute(ATTRIBUTES[name], { value: 'true' });
      }
      if (type === 'endpoint.attribution' && !isToCome(result)) resumed = false;
    },
  };
}
