import { expect, it } from 'vitest';
import { fieldTitle, groupNotShown } from './not-shown-card.tsx';

it('names fields for people', () => {
  expect(
    ['endpoint.wifi.noise.dbm', 'endpoint.wifi.network.wifi.ssid', 'endpoint.attribution.score.isp', 'hop.3.address'].map(
      fieldTitle,
    ),
  ).toEqual(['Noise', 'Network name (SSID)', 'ISP edge', 'Public hop addresses']);
  expect(fieldTitle('endpoint.resolver.rtt.avg.ms')).toBe('DNS resolver: round trip');
});

it('says once what one reason makes silent', () => {
  const wired = ['rssi.dbm', 'noise.dbm', 'channel'].map((key) => ({ field: `endpoint.wifi.${key}`, code: 'wired' }));
  const closed = ['rssi.dbm', 'network.wifi.ssid'].map((key) => ({ field: `endpoint.wifi.${key}`, code: 'permission' }));
  expect(groupNotShown(closed)).toEqual([{ title: 'Wi-Fi', code: 'permission' }]);
  expect(groupNotShown(closed.slice(1))).toEqual([{ title: 'Network name (SSID)', code: 'permission' }]);
  const untraced = ['score.isp', 'score.network'].map((key) => ({ field: `endpoint.attribution.${key}`, code: 'no_target' }));
  expect(groupNotShown([...wired, ...untraced, { field: 'endpoint.wifi.network.wifi.ssid', code: 'withheld' }])).toEqual([
    { title: 'Wi-Fi', code: 'wired' },
    { title: 'Path beyond the gateway', code: 'no_target' },
    { title: 'Network name (SSID)', code: 'withheld' },
  ]);
});
