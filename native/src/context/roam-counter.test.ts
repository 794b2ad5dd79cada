import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { readWifiRecording, replayWifi } from '../testing/recordings.ts';
import { associationOf } from './linux.ts';
import { createRoamCounter } from './roam-counter.ts';

const at = (network: string, cell: string) => ({ network, cell });

it('counts changes of the cell within one network', () => {
  const count = createRoamCounter();
  const seen = [at('a', '1'), at('a', '1'), at('a', '2'), at('a', '1'), at('b', '9'), at('b', '8')];
  expect(seen.map((now) => count(now))).toEqual([0, 0, 1, 2, 2, 3].map((value) => ({ value })));
});

it('counts no change over a time without a network', () => {
  const count = createRoamCounter();
  count(at('a', '1'));
  expect(count('not_connected')).toEqual({ unavailable: 'not_connected' });
  expect(count(at('a', '2'))).toEqual({ value: 0 });
});

const recorded = readWifiRecording('rec-connected');
const CELL = '020000000000';
/** The same recording with another access point's address in the station's message. */
const roamed = {
  ...recorded,
  station3: (recorded.station3 ?? []).map((hex) => hex.replace(`0a000600${CELL}`, '0a0006000200000000aa')),
};

it('tells a recorded association from another without showing its address', () => {
  const key = randomBytes(32);
  const [here, again, there] = [recorded, recorded, roamed].map((recording) => associationOf(replayWifi(recording), key));
  expect(here).toEqual(again);
  expect(there).not.toEqual(here);
  expect(there).toMatchObject({ network: typeof here === 'object' ? here.network : '' });
  const shown =
    Buffer.from(JSON.stringify(here)).toString('hex') +
    (typeof here === 'object' ? Buffer.from(here.cell, 'base64').toString('hex') : '');
  expect(shown).not.toContain(CELL);
  expect(associationOf(replayWifi(recorded), randomBytes(32))).not.toEqual(here);
});

it('is not connected where no radio is associated', () => {
  expect(associationOf(replayWifi(readWifiRecording('rec-disconnected')), randomBytes(32))).toBe('not_connected');
  expect(associationOf(replayWifi({}), randomBytes(32))).toBe('not_supported');
});
