import { expect, test } from 'vitest';
import { createKeyCache } from './build-rows.ts';

test('no number of invented names of a device makes a series or takes the place of a real one', () => {
  const find = createKeyCache();
  for (let i = 0; i < 20_000; i += 1) expect(find('endpoint.wifi', `invented.${i}`)).toBeUndefined();
  expect(find('endpoint.wifi', 'rssi.dbm')).toBeDefined();
});

test('beyond five thousand names of types without a table a new one makes no series, and those before keep theirs', () => {
  const find = createKeyCache();
  const names = Array.from({ length: 6000 }, (_, i) => `name.${i}`);
  expect(names.filter((name) => find('rum', name) !== undefined)).toHaveLength(5000);
  expect(find('rum', 'name.0')).toBeDefined();
  expect(find('rum', 'name.5999')).toBeUndefined();
});
