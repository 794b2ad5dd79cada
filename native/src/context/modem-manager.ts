import type { UnavailableCode } from '@svc/contracts/verdict';
import { measured, type Reading, unavailable } from '../reading.ts';
import type { CellularReading } from './context.ts';
import type { RunTool, ToolAnswer } from './run-tool.ts';

/** Seconds between the modem's own looks at its signal, where nobody has set them. */
const REFRESH_SECONDS = 30;
/** A device without ModemManager or modem is asked again after this time. */
const ASK_AGAIN_MS = 10 * 60_000;

export const noCellular = (code: UnavailableCode): CellularReading => ({
  rsrpDbm: unavailable(code),
  rsrqDb: unavailable(code),
  sinrDb: unavailable(code),
});

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

function parseObject(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

const child = (value: Json, key: string): Json => {
  const found = value[key];
  return isObject(found) ? found : {};
};

/** D-Bus paths of the modems in the answer of `mmcli -L -J`. */
export function parseModems(text: string): string[] {
  const list = parseObject(text)['modem-list'];
  return Array.isArray(list) ? list.filter((path) => typeof path === 'string' && /^\/[\w/]+$/.test(path)) : [];
}

export interface ModemSignal {
  readonly reading: CellularReading;
  /** False: nobody asked the modem to look at its signal. */
  readonly refreshed: boolean;
}

/** Parses `mmcli -m MODEM --signal-get -J`. 5G before LTE; values are texts, `--` where the modem has none. */
export function parseSignal(text: string): ModemSignal {
  const signal = child(child(parseObject(text), 'modem'), 'signal');
  const cells = [child(signal, '5g'), child(signal, 'lte')];
  const cell = cells.find((one) => numberOf(one.rsrp) !== undefined) ?? {};
  const read = (key: string): Reading<number> => {
    const value = numberOf(cell[key]);
    return value === undefined ? unavailable('not_supported') : measured(value);
  };
  const reading = { rsrpDbm: read('rsrp'), rsrqDb: read('rsrq'), sinrDb: read('snr') };
  return { reading, refreshed: (numberOf(child(signal, 'refresh').rate) ?? 0) > 0 };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined;
}

const codeOf = (answer: ToolAnswer): UnavailableCode =>
  'failed' in answer && answer.failed === 'refused' ? 'permission' : 'not_supported';

/** Reads the first modem by ModemManager's own tool. `steady` is a clock in milliseconds. */
export function createCellularReader(run: RunTool, steady: () => number): () => Promise<CellularReading> {
  let absentUntilMs = Number.NEGATIVE_INFINITY;
  const signalOf = (modem: string): Promise<ToolAnswer> => run('mmcli', ['-m', modem, '--signal-get', '-J']);
  return async () => {
    if (steady() < absentUntilMs) return noCellular('not_supported');
    const list = await run('mmcli', ['-L', '-J']);
    const modem = 'output' in list ? parseModems(list.output)[0] : undefined;
    if (modem === undefined) {
      absentUntilMs = steady() + ASK_AGAIN_MS;
      return noCellular(codeOf(list));
    }
    const answer = await signalOf(modem);
    if ('failed' in answer) return noCellular(codeOf(answer));
    const { reading, refreshed } = parseSignal(answer.output);
    if (refreshed || 'value' in reading.rsrpDbm) return reading;
    const setup = await run('mmcli', ['-m', modem, `--signal-setup=${REFRESH_SECONDS}`]);
    if ('failed' in setup) return noCellular(codeOf(setup));
    const again = await signalOf(modem);
    return 'output' in again ? parseSignal(again.output).reading : noCellular(codeOf(again));
  };
}
