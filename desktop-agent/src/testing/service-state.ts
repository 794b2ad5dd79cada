import type { ServiceState } from '@svc/contracts/agent/ipc';

/** The state of a healthy, connected service, to be changed where a test needs another. */
export const serviceStateOf = (change: Partial<ServiceState> = {}): ServiceState => ({
  state: 'running',
  server: 'https://monitor.example:8443',
  organisation: 'Example',
  connected: true,
  problem: null,
  offlineSinceMs: null,
  waiting: 0,
  dropped: 0,
  pausedUntilMs: null,
  maxPauseMinutes: 1440,
  disclosure: 'shown',
  mustAccept: false,
  missingPermissions: [],
  verdict: null,
  wifi: { rssiDbm: { value: -60, unavailable: null }, signalPercent: { value: null, unavailable: 'not_supported' }, ssid: null },
  gateway: { rttMs: { value: 3, unavailable: null }, lossRatio: { value: 0, unavailable: null } },
  paths: [],
  sessions: [],
  strip: Array.from({ length: 24 }, () => 'none' as const),
  context: { onBattery: null, metered: null, vpn: null, captivePortal: null, resumed: false },
  test: null,
  ...change,
});
