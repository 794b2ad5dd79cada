import { expect, it } from 'vitest';
import { parseProcWireless } from './proc-wireless.ts';

const head = `Inter-| sta-|   Quality        |   Discarded packets               | Missed | WE
 face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22
`;

it('reads level and noise, and leaves out what the driver does not know', () => {
  const contents = `${head} wlan0: 0000   54.  -56.  -95.        0      0      0      0     12        0\n wlx1: 0000   70.  -40.  -256        0      0      0      0      0        0\n`;
  expect(parseProcWireless(contents)).toEqual([
    { name: 'wlan0', rssiDbm: -56, noiseDbm: -95 },
    { name: 'wlx1', rssiDbm: -40, noiseDbm: undefined },
  ]);
});

it('takes a level in no dBm for none', () => {
  expect(parseProcWireless(`${head} ra0: 0000   54.  200.  0.        0\n`)).toEqual([
    { name: 'ra0', rssiDbm: undefined, noiseDbm: undefined },
  ]);
});

it('passes over lines that are none', () => {
  for (const contents of ['', head, `${head}garbage\n\n: 1 2 3 4\n`]) expect(parseProcWireless(contents)).toEqual([]);
});
