import { Policy } from '@svc/contracts/policy';
import { expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { DEFAULT_POLICY, settingsOf } from './settings.ts';

it('has the defaults of the contract’s schema', () => {
  expect(DEFAULT_POLICY).toEqual(Policy.parse({}));
});

it('lets the server tighten and never loosen, adds targets, and keeps the device’s own pace', () => {
  const config = readConfig({
    SVC_ENDPOINT_COLLECT_SSID: 'false',
    SVC_ENDPOINT_TRACE_TARGETS: '192.0.2.1',
    SVC_ENDPOINT_WIFI_INTERVAL_SECONDS: '6',
  });
  const policy = Policy.parse({
    traceTargets: ['192.0.2.2', '192.0.2.1'],
    wifiIntervalSeconds: 30,
    pathIntervalSeconds: 60,
    collect: { ssid: true, publicHops: true, deviceName: false },
  });
  const settings = settingsOf(config, policy);
  expect(settings.collect).toEqual({ ssid: false, gatewayIp: true, deviceName: false, hostFacts: true, publicHops: false });
  expect(settings.traceTargets).toEqual(['192.0.2.1', '192.0.2.2']);
  expect(settings.intervals).toEqual({ wifi: 6000, gateway: 60_000, path: 60_000, session: 300_000 });
});
