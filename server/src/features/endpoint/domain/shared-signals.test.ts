import { expect, test } from 'vitest';
import { findSharedCauses } from './shared-causes.ts';
import { toSignals } from './shared-signals.ts';

const NOW = Date.UTC(2026, 5, 2, 12);
const group = (gateway: string | null, count: number, cause: 'local' | 'none' = 'local') => ({
  ...{ site: 'Berlin', gateway, cause, count, sinceMs: NOW - 60_000 },
});
const of = (...groups: ReturnType<typeof group>[]) => toSignals(findSharedCauses(groups), NOW);

test('devices behind one gateway are one signal that names their place, their layer and no device', () => {
  expect(of(group('10.64.32.1', 3), group('10.64.32.1', 7, 'none'), group('10.64.48.1', 20, 'none'))).toEqual([
    {
      ...{ plane: 'endpoint', kind: 'endpoint.shared_cause', severity: 'warning', site: 'Berlin', prefix: '10.64.32.1/24' },
      title: '3 of 10 devices at Berlin behind gateway 10.64.32.1 are slow because of the local network',
      summary: '3 of 10 devices at Berlin behind gateway 10.64.32.1 are slow because of the local network.',
      attributes: {
        ...{ cause: 'local', 'devices.affected': '3', 'devices.total': '10', 'network.gateway.address': '10.64.32.1' },
      },
      occurred_at: new Date(NOW - 60_000).toISOString(),
      dedup_key: '["Berlin","10.64.32.1","local"]',
    },
  ]);
});

test('two are nothing; half of a site is grave; without a gateway there is no prefix', () => {
  expect(of(group('10.64.32.1', 2))).toEqual([]);
  const [signal] = of(group(null, 3), group(null, 2, 'none'));
  expect(signal).toMatchObject({ severity: 'critical', site: 'Berlin' });
  expect(signal).not.toHaveProperty('prefix');
});

test.each([
  ['203.0.113.1', '203.0.113.1/32'],
  ['172.16.4.1', '172.16.4.1/24'],
  ['fe80::1', 'fe80::1/64'],
  ['fd12::1', 'fd12::1/64'],
  ['2001:db8::1', '2001:db8::1/128'],
])('the network behind %s is %s', (gateway, prefix) => {
  expect(of(group(gateway, 5))[0]?.prefix).toBe(prefix);
});
