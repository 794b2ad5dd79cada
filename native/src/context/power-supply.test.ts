import { expect, it } from 'vitest';
import { batteryReading } from './power-supply.ts';

const laptop = (online: string, status: string) => [
  { type: 'Mains', online },
  { type: 'Battery', status, scope: 'System' },
];

it.each([
  ['discharging with its line pulled', laptop('0', 'Discharging'), true],
  ['kept at its limit with its line pulled', laptop('0', 'Not charging'), true],
  ['charging', laptop('1', 'Charging'), false],
  ['plugged in and yet discharging under load', laptop('1', 'Discharging'), false],
  [
    'charging by USB-C',
    [
      { type: 'USB', online: '1' },
      { type: 'USB', online: '0' },
      { type: 'Battery', status: 'Charging' },
    ],
    false,
  ],
  ['a battery that names no line', [{ type: 'Battery', status: 'Full' }], false],
  ['a battery alone that discharges', [{ type: 'Battery', status: 'Discharging' }], true],
])('%s', (_name, supplies, onBattery) => {
  expect(batteryReading(supplies)).toEqual({ value: onBattery });
});

it.each([
  ['no supply at all', []],
  ['a mouse', [{ type: 'Battery', status: 'Discharging', scope: 'Device' }]],
  ['a battery that does not say', [{ type: 'Battery', status: 'Unknown' }]],
])('does not guess from %s', (_name, supplies) => {
  expect(batteryReading(supplies)).toEqual({ unavailable: 'not_supported' });
});
