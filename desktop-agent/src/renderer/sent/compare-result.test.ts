import { describe, expect, it } from 'vitest';
import { compareResult, headOf } from './compare-result.ts';

const result = {
  before: JSON.stringify({
    attributes: { 'gateway.address': '10.20.3.1', 'wifi.ssid': 'office' },
    canary_type: 'endpoint.wifi',
    metrics: { 'rssi.dbm': -79 },
    server_address: 'gateway',
  }),
  sent: JSON.stringify({
    attributes: { 'gateway.address': '10.20.3.1', 'unavailable.wifi.ssid': 'withheld' },
    canary_type: 'endpoint.wifi',
    metrics: { 'rssi.dbm': -79 },
    server_address: 'gateway',
  }),
  withheld: ['wifi.ssid'],
};

describe('a result before and after', () => {
  it('puts what was withheld first, with the word that was sent in its place', () => {
    const lines = compareResult(result);
    expect(lines[0]).toEqual({ name: 'wifi.ssid', before: 'office', sent: 'withheld', changed: true });
    expect(lines.filter(({ changed }) => changed)).toHaveLength(1);
    expect(lines.map(({ name }) => name)).not.toContain('unavailable.wifi.ssid');
    expect(lines).toContainEqual({ name: 'rssi.dbm', before: '-79', sent: '-79', changed: false });
  });

  it('shows what was dropped without a word in its place', () => {
    const lines = compareResult({ ...result, before: JSON.stringify({ metrics: { 'own.secret': 1 } }), sent: '{}' });
    expect(lines).toEqual([{ name: 'own.secret', before: '1', sent: null, changed: true }]);
  });

  it('shows an edited record as it stands', () => {
    expect(compareResult({ before: '{"a":', sent: '{"a":1}', withheld: [] })).toContainEqual({
      name: '',
      before: '{"a":',
      sent: null,
      changed: true,
    });
  });

  it('names its kind and target', () => {
    expect(headOf(result)).toEqual({ type: 'wifi', target: 'gateway' });
  });
});
