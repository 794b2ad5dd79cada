import { expect, it } from 'vitest';
import { demandSecrets } from './demand-secrets.ts';
import type { Connection } from './port.ts';

const former: Connection = {
  url: 'https://events.pagerduty.com',
  credential: 'integration key',
  settings: { rest_key: 'read only', rest_url: 'https://api.pagerduty.com' },
};
const secrets = ['credential', 'rest_key', 'other'];
const faultsOf = (next: Partial<Connection>, given: Record<string, string> = {}): unknown => {
  try {
    demandSecrets({ former, next: { ...former, ...next }, given, secrets });
    return [];
  } catch (error) {
    return (error as { faults: { path: string }[] }).faults.map(({ path }) => path);
  }
};

it('keeps secrets while the connector leads where it did', () => {
  expect(faultsOf({})).toEqual([]);
  expect(faultsOf({ url: 'https://events.pagerduty.com/v2' })).toEqual([]);
});

it('sends no secret to a host that it was not given for', () => {
  expect(faultsOf({ url: 'https://elsewhere.example' })).toEqual(['values.credential', 'values.rest_key']);
  expect(faultsOf({ url: 'https://events.pagerduty.com:8443' })).toEqual(['values.credential', 'values.rest_key']);
  expect(faultsOf({ settings: { ...former.settings, rest_url: 'https://elsewhere.example' } })).toEqual([
    'values.credential',
    'values.rest_key',
  ]);
  expect(faultsOf({ url: 'https://elsewhere.example' }, { credential: 'new' })).toEqual(['values.rest_key']);
  expect(faultsOf({ url: 'https://elsewhere.example' }, { credential: 'new', rest_key: 'new' })).toEqual([]);
});

it('has nothing to keep where the former cannot be read', () => {
  expect(() => demandSecrets({ former: undefined, next: former, given: {}, secrets })).not.toThrow();
});
