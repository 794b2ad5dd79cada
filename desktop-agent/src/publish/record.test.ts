import { expect, it } from 'vitest';
import { COLLECT_DEFAULTS, COLLECT_NOTHING } from '../privacy/collect.ts';
import { minimise } from '../privacy/minimise.ts';
import { emptyResult } from '../result.ts';
import { decodeRecord, encodeRecord, restrictRecord } from './record.ts';

const full = emptyResult('endpoint.wifi', { resultId: '0190a6c0-0000-7000-8000-000000000001', startedAtMs: 1_790_000_000_000 });
Object.assign(full.attributes, { 'network.wifi.ssid': 'Ward', 'network.interface.name': 'wlan0', 'svc.unheard.of': 'x' });
full.metrics['rssi.dbm'] = -61;

it('takes out of a record that waits what was switched off meanwhile, and keeps it for its owner', () => {
  const record = encodeRecord(minimise(full, COLLECT_DEFAULTS));
  expect(decodeRecord(record).result.attributes['network.wifi.ssid']).toBe('Ward');
  const restricted = decodeRecord(restrictRecord(record, COLLECT_NOTHING));
  expect(restricted).toEqual(minimise(full, COLLECT_NOTHING));
  expect(restricted.withheld).toEqual({ 'network.wifi.ssid': 'Ward', 'network.interface.name': 'wlan0', 'svc.unheard.of': 'x' });
});

it('leaves a record alone that holds nothing more than it may', () => {
  const record = encodeRecord(minimise(full, COLLECT_NOTHING));
  expect(restrictRecord(record, COLLECT_NOTHING)).toBe(record);
  // What was taken out does not come back when it is allowed again.
  expect(restrictRecord(record, COLLECT_DEFAULTS)).toBe(record);
});
