import { expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { combineHigh, combineLow, hashOwner, joinLabels, seriesKey, splitLabels } from './hash.ts';

const tenant = parseTenantId('acme');
const fingerprint = (agent: string, hop: number): string => {
  const owner = hashOwner({ tenant, agent, target: 't' });
  const key = seriesKey('svc_endpoint_lastmile_hop_rtt_avg_ms', { hop: String(hop) });
  return `${combineHigh(owner, key.hashLow, key.hashHigh)}.${combineLow(owner, key.hashLow, key.hashHigh)}`;
};

test('gives the fingerprints that stored samples already have', () => {
  expect(fingerprint('x', 3)).toBe('1603009063.3371794185');
});

test('tells every series of a fleet apart', () => {
  const seen = new Set<string>();
  for (let agent = 0; agent < 1000; agent++)
    for (let hop = 1; hop <= 20; hop++) seen.add(fingerprint(`0192f0c1-2345-7abc-8def-${agent}`, hop));
  expect(seen.size).toBe(20_000);
});

test('does not mistake one label for another', () => {
  const low = (owner: Parameters<typeof hashOwner>[0]) => hashOwner(owner).low;
  expect(
    new Set([low({ tenant, agent: 'x' }), low({ tenant, target: 'x' }), low({ tenant, app: 'x' }), low({ tenant, test: 'x' })])
      .size,
  ).toBe(4);
  expect(seriesKey('m', { hop: '1' }).hashLow).not.toBe(seriesKey('m', { layer: '1' }).hashLow);
});

test('splits labels and joins them again, without empty ones', () => {
  const labels = { agent: 'a', target: 't', hop: '3' };
  const { owner, rest } = splitLabels({ ...labels, app: '' });
  expect(joinLabels({ ...owner, tenant }, seriesKey('m', rest))).toEqual(labels);
  expect(() => splitLabels({ bssid: 'x' })).toThrow(/cannot have the label "bssid"/);
});
