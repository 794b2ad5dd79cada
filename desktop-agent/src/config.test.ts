import { expect, it } from 'vitest';
import { CONFIG_KEYS, ConfigError, readConfig } from './config.ts';
import { deviceFacts } from './identity/device-facts.ts';
import { labelsToSend } from './privacy/collect.ts';

it('has defaults that collect what docs/privacy.md says', () => {
  const config = readConfig({});
  expect(config.collect).toEqual({ ssid: true, gatewayIp: true, deviceName: true, hostFacts: true, publicHops: false });
  expect(config.stateDir).toMatch(/\.local\/state\/svc-agent$/);
  expect(config.spoolMaxBytes).toBe(20 * 1024 * 1024);
  expect(config.traceTargets).toEqual([]);
});

it('switches everything off under the strict preset, whatever the toggles say', () => {
  const config = readConfig({
    SVC_ENDPOINT_PRIVACY: 'strict',
    SVC_ENDPOINT_COLLECT_SSID: 'true',
    SVC_ENDPOINT_COLLECT_OWNER_EMAIL: 'true',
    SVC_AGENT_OWNER_EMAIL: 'ada@example.org',
    SVC_AGENT_SITE: 'Lyon',
  });
  expect(Object.values(config.collect).every((on) => !on)).toBe(true);
  expect(config.sendsLabels).toEqual({ site: false, ownerEmail: false });
});

it('names neither owner, site nor device at enrolment without their switches', () => {
  const facts = { deviceName: 'ada-laptop', os: 'linux', osVersion: '6.1', arch: 'x64', model: 'X1' };
  const toldBy = (environment: Record<string, string>) => {
    const config = readConfig({ SVC_AGENT_OWNER_EMAIL: 'ada@example.org', SVC_AGENT_SITE: 'Lyon', ...environment });
    return deviceFacts({ collect: config.collect, labels: labelsToSend(config, config.sendsLabels) }, facts, '1.0.0');
  };
  expect(toldBy({})).toMatchObject({ owner_email: 'ada@example.org', site: 'Lyon', device_name: 'ada-laptop' });
  expect(toldBy({ SVC_ENDPOINT_COLLECT_OWNER_EMAIL: 'off' })).not.toHaveProperty('owner_email');
  expect(toldBy({ SVC_ENDPOINT_COLLECT_SITE: 'off' })).not.toHaveProperty('site');
  expect(toldBy({ SVC_ENDPOINT_PRIVACY: 'strict' })).toEqual({ agent_version: '1.0.0', os: 'linux', arch: 'x64' });
});

it('reads lists and numbers', () => {
  const config = readConfig({
    SVC_ENDPOINT_TRACE_TARGETS: '192.0.2.53, 2001:db8::53 ,ns.example,192.0.2.53',
    SVC_ENDPOINT_SESSION_TARGETS: 'https://crm.example/start',
    SVC_ENDPOINT_WIFI_INTERVAL_SECONDS: '6',
  });
  expect(config.traceTargets).toEqual(['192.0.2.53', '2001:db8::53', 'ns.example']);
  expect(config.sessionTargets).toEqual(['https://crm.example/start']);
  expect(config.wifiIntervalSeconds).toBe(6);
});

it('tells every fault at once', () => {
  let fault: unknown;
  try {
    readConfig({
      SVC_ENDPOINT_PRIVACY: 'none',
      SVC_ENDPOINT_COLLECT_SSID: 'perhaps',
      SVC_ENDPOINT_COLLECT_BSSID: 'true',
      SVC_ENDPOINT_TRACE_TARGETS: 'a b',
      SVC_ENDPOINT_SESSION_TARGETS: 'ftp://x.example',
      SVC_ENDPOINT_PATH_INTERVAL_SECONDS: '1',
      SVC_AGENT_SPOOL_MAX_MB: 'much',
      SVC_AGENT_OWNER_EMAIL: 'ada',
    });
  } catch (error) {
    fault = error;
  }
  expect(fault).toBeInstanceOf(ConfigError);
  expect((fault as ConfigError).faults).toHaveLength(8);
  for (const word of ['PRIVACY', 'COLLECT_SSID', 'COLLECT_BSSID', 'TRACE_TARGETS', 'ftp://', 'PATH_INTERVAL', 'SPOOL', 'OWNER'])
    expect(String(fault)).toContain(word);
});

it('lists every key that it reads', () => {
  const read = new Set<string>();
  const spy = new Proxy({} as Record<string, string>, {
    get: (_target, key) => {
      if (typeof key === 'string') read.add(key);
      return undefined;
    },
    ownKeys: () => [],
  });
  readConfig(spy);
  expect([...read].sort()).toEqual(CONFIG_KEYS.map((one) => one.key).sort());
});
