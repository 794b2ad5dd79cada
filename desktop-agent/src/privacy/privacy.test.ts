import { describe, expect, it } from 'vitest';
import { emptyResult } from '../result.ts';
import { isPrivateAddress } from './address.ts';
import { COLLECT_DEFAULTS, COLLECT_KEYS, COLLECT_NOTHING, strictest } from './collect.ts';
import { describeCollection, disclosureText } from './disclosure.ts';
import { minimise, restore } from './minimise.ts';

const stamp = { resultId: '0190a6c0-0000-7000-8000-000000000001', startedAtMs: 1_790_000_000_000 };

describe('addresses', () => {
  it.each(['10.0.0.1', '172.16.9.9', '172.31.0.1', '192.168.1.1', '169.254.3.4', 'fd00::1', 'fe80::1%eth0'])(
    '%s is private',
    (a) => {
      expect(isPrivateAddress(a)).toBe(true);
    },
  );
  it.each(['100.64.0.1', '172.32.0.1', '203.0.113.9', '2001:db8::1', '127.0.0.53', 'router', ''])('%s is not', (a) => {
    expect(isPrivateAddress(a)).toBe(false);
  });
});

describe('strictest', () => {
  it('keeps off what either side switched off, for every toggle and both directions', () => {
    const all = { ssid: true, gatewayIp: true, deviceName: true, hostFacts: true, publicHops: true };
    for (const key of COLLECT_KEYS) {
      expect(strictest({ ...all, [key]: false }, all)).toEqual({ ...all, [key]: false });
      expect(strictest(all, { ...all, [key]: false })).toEqual({ ...all, [key]: false });
    }
    expect(strictest(COLLECT_NOTHING, all)).toEqual(COLLECT_NOTHING);
  });
});

describe('minimise', () => {
  const path = () => {
    const result = emptyResult('endpoint.lastmile', stamp);
    Object.assign(result.attributes, {
      'hop.1.address': '192.168.1.1',
      'hop.1.segment': 'local',
      'hop.2.address': '100.64.0.1',
      'hop.3.address': '203.0.113.7',
      'unavailable.hop.4.address': 'not_supported',
    });
    Object.assign(result.metrics, { 'hop.3.rtt.avg.ms': 14.5, 'hop.3.packet.loss.ratio': 0 });
    return result;
  };

  it('drops public hop addresses by default and keeps their figures', () => {
    const { result, withheld } = minimise(path(), COLLECT_DEFAULTS);
    expect(result.attributes).toEqual({
      'hop.1.address': '192.168.1.1',
      'hop.1.segment': 'local',
      'unavailable.hop.2.address': 'withheld',
      'unavailable.hop.3.address': 'withheld',
      'unavailable.hop.4.address': 'not_supported',
    });
    expect(result.metrics).toEqual({ 'hop.3.rtt.avg.ms': 14.5, 'hop.3.packet.loss.ratio': 0 });
    expect(withheld).toEqual({ 'hop.2.address': '100.64.0.1', 'hop.3.address': '203.0.113.7' });
  });

  it('keeps public hops where both sides allow it, and no address at all under the strict preset', () => {
    expect(minimise(path(), { ...COLLECT_DEFAULTS, publicHops: true }).result.attributes['hop.3.address']).toBe('203.0.113.7');
    const strict = minimise(path(), COLLECT_NOTHING).result;
    expect(JSON.stringify(strict)).not.toMatch(/\d+\.\d+\.\d+\.\d+/);
  });

  it('withholds SSID, gateway, resolver and adapter by their toggles, and public ones always', () => {
    const result = emptyResult('endpoint.wifi', stamp);
    Object.assign(result.attributes, {
      'network.wifi.ssid': 'Home of Ada',
      'network.gateway.address': '203.0.113.1',
      'dns.server.address': '198.51.100.53',
      'network.interface.name': 'enx001122334455',
      'network.connection.type': 'wifi',
    });
    const kept = minimise(result, COLLECT_DEFAULTS).result.attributes;
    expect(kept).toEqual({
      'network.wifi.ssid': 'Home of Ada',
      'network.connection.type': 'wifi',
      'unavailable.network.gateway.address': 'withheld',
      'unavailable.dns.server.address': 'withheld',
      'unavailable.network.interface.name': 'withheld',
    });
    expect(JSON.stringify(minimise(result, COLLECT_NOTHING).result)).not.toContain('Ada');
  });

  it('lets nothing out that nobody decided on, and no credentials in a URL', () => {
    const result = emptyResult('endpoint.session', stamp);
    result.attributes['wifi.bssid'] = '00:11:22:33:44:55';
    result.attributes['url.full'] = 'https://ada:secret@crm.example/start?token=x#y';
    result.metrics['secret.number'] = 7;
    result.metrics['total.ms'] = 120;
    result.error = 'connect ECONNREFUSED 203.0.113.7:443';
    const text = JSON.stringify(minimise(result, COLLECT_DEFAULTS).result);
    expect(text).not.toMatch(/00:11|secret|token|203\.0/);
    expect(text).toContain('https://crm.example/start');
    expect(minimise(result, COLLECT_DEFAULTS).result.metrics).toEqual({ 'total.ms': 120 });
  });

  it('leaves its input alone and can show it again', () => {
    const full = path();
    const before = structuredClone(full);
    expect(restore(minimise(full, COLLECT_NOTHING))).toEqual(before);
    expect(full).toEqual(before);
  });
});

describe('disclosure', () => {
  const live = {
    collect: COLLECT_DEFAULTS,
    server: 'https://localhost:8443',
    traceTargets: ['192.0.2.53'],
    sessionTargets: [],
    intervalSeconds: { wifi: 60, gateway: 60, path: 300, session: 300 },
    readBack: 'svc-agent what-is-sent',
  };
  it('says yes and no from the live settings, and what never is collected', () => {
    const text = disclosureText(describeCollection(live));
    expect(text).toContain('yes  Network name\n');
    expect(text).toContain('no   Addresses of external routers\n');
    expect(text).toContain('Path to 1 service: 192.0.2.53 (each 5 min)');
    expect(text).toContain('Time to open 1 service: https://localhost:8443 (each 5 min)');
    expect(text).toContain('BSSID');
    expect(text).toContain('Sent to: https://localhost:8443');
  });
  it('follows every toggle', () => {
    const strict = describeCollection({ ...live, collect: COLLECT_NOTHING });
    expect(strict.identifiers.every((item) => !item.sent)).toBe(true);
    const open = describeCollection({ ...live, collect: { ...COLLECT_DEFAULTS, publicHops: true } });
    expect(open.identifiers.every((item) => item.sent)).toBe(true);
  });
});
