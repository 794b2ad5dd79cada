import { expect, it } from 'vitest';
import { createCellularReader, noCellular, parseModems, parseSignal } from './modem-manager.ts';
import type { ToolAnswer } from './run-tool.ts';

const dead = { 'error-rate': '--', rsrp: '--', rsrq: '--', snr: '--' };
/** As mmcli 1.20 prints it. */
const signal = (cells: { lte?: object; '5g'?: object }, rate = '10'): string =>
  JSON.stringify({
    modem: {
      signal: {
        '5g': { ...dead, ...cells['5g'] },
        cdma1x: { ecio: '--', 'error-rate': '--', rssi: '--' },
        evdo: { ecio: '--', 'error-rate': '--', io: '--', rssi: '--', sinr: '--' },
        gsm: { 'error-rate': '--', rssi: '--' },
        lte: { ...dead, rssi: '--', ...cells.lte },
        refresh: { rate },
        threshold: { 'error-rate': 'no', rssi: '0' },
        umts: { ecio: '--', 'error-rate': '--', rscp: '--', rssi: '--' },
      },
    },
  });
const lte = { rsrp: '-100.00', rsrq: '-9.00', rssi: '-71.00', snr: '19.00' };
const modems = '{"modem-list":["/org/freedesktop/ModemManager1/Modem/3"]}';
const read = (rsrpDbm: number, rsrqDb: number, sinrDb: number) => ({
  rsrpDbm: { value: rsrpDbm },
  rsrqDb: { value: rsrqDb },
  sinrDb: { value: sinrDb },
});

it('finds the modems', () => {
  expect(parseModems(modems)).toEqual(['/org/freedesktop/ModemManager1/Modem/3']);
  for (const text of ['{"modem-list":[]}', '{"modem-list":["-x", 3]}', '[]', 'no', '']) expect(parseModems(text)).toEqual([]);
});

it('takes 5G before LTE, and single values as missing', () => {
  expect(parseSignal(signal({ lte }))).toEqual({ reading: read(-100, -9, 19), refreshed: true });
  expect(parseSignal(signal({ lte, '5g': { rsrp: '-84.00', rsrq: '-11.00', snr: '7.50' } })).reading).toEqual(
    read(-84, -11, 7.5),
  );
  expect(parseSignal(signal({ lte: { ...lte, snr: '--' } })).reading.sinrDb).toEqual({ unavailable: 'not_supported' });
  expect(parseSignal(signal({}, '0'))).toEqual({ reading: noCellular('not_supported'), refreshed: false });
  for (const text of ['', '{}', '{"modem":[]}', '{"modem":{"signal":{"lte":{"rsrp":-1}}}}']) {
    expect(parseSignal(text).reading).toEqual(noCellular('not_supported'));
  }
});

function recordedTool(answers: Record<string, ToolAnswer[]>) {
  const asked: string[] = [];
  const run = async (_command: string, args: readonly string[]): Promise<ToolAnswer> => {
    asked.push(args.join(' '));
    return answers[args.at(-1) === '-J' ? (args.at(-2) ?? '') : (args.at(-1) ?? '')]?.shift() ?? { failed: 'error' };
  };
  return { asked, run };
}

it('asks the modem to look at its signal once where nobody did', async () => {
  const tool = recordedTool({
    '-L': [{ output: modems }],
    '--signal-get': [{ output: signal({}, '0') }, { output: signal({ lte }, '30') }],
    '--signal-setup=30': [{ output: '' }],
  });
  expect(await createCellularReader(tool.run, () => 0)()).toEqual(read(-100, -9, 19));
  expect(tool.asked).toHaveLength(4);
});

it('says permission where the system refuses', async () => {
  const tool = recordedTool({
    '-L': [{ output: modems }],
    '--signal-get': [{ output: signal({}, '0') }],
    '--signal-setup=30': [{ failed: 'refused' }],
  });
  expect(await createCellularReader(tool.run, () => 0)()).toEqual(noCellular('permission'));
});

it('leaves a device without a modem alone for ten minutes', async () => {
  const tool = recordedTool({ '-L': [{ failed: 'missing' }, { output: '{"modem-list":[]}' }] });
  let nowMs = 0;
  const cellular = createCellularReader(tool.run, () => nowMs);
  for (nowMs of [0, 60_000, 599_999, 600_000]) expect(await cellular()).toEqual(noCellular('not_supported'));
  expect(tool.asked).toHaveLength(2);
});
