import { describe, expect, it } from 'vitest';
import { measured, unavailable } from '../reading.ts';
import { type NetworkIdentity, networkFingerprint } from './identity.ts';
import { readNetworkIdentity } from './linux.ts';
import { readIdentity } from './read-identity.ts';
import { normalDomain, parseSearchDomain } from './search-domain.ts';

const home: NetworkIdentity = { ssid: 'home', gateway: '192.168.1.1', domain: 'fritz.box', tunnel: false };
const salt = Buffer.alloc(32, 7);

describe('the fingerprint of a network', () => {
  it('is the same for the same network, and another one for each that differs', () => {
    const all = [
      home,
      { ...home, ssid: 'café' },
      { ...home, ssid: undefined },
      { ...home, gateway: '192.168.1.254' },
      { ...home, domain: 'corp.test' },
      { ...home, tunnel: true },
      // No field runs over into the next.
      { ...home, ssid: 'home","192.168.1.1', gateway: undefined },
    ];
    expect(new Set(all.map((identity) => networkFingerprint(identity, salt))).size).toBe(all.length);
    expect(networkFingerprint({ ...home }, Buffer.from(salt))).toBe(networkFingerprint(home, salt));
  });

  it('means nothing without the salt', () => {
    const name = networkFingerprint(home, salt);
    expect(name).toMatch(/^[\w-]{22}$/);
    expect(networkFingerprint(home, Buffer.alloc(32, 8))).not.toBe(name);
  });
});

it.each([
  ['search corp.test example.test\nnameserver 10.0.0.1\n', 'corp.test'],
  ['domain Old.Test\nsearch fritz.box.\n', 'fritz.box'],
  ['# search no.test\nnameserver 10.0.0.1\n', undefined],
  ['search .\n', undefined],
  ['search\n', undefined],
  ['', undefined],
])('reads the domain of %j', (contents, domain) => expect(parseSearchDomain(contents)).toBe(domain));

it('takes an adapter without a suffix, or one that cannot be a name, for none', () => {
  expect([normalDomain(''), normalDomain(undefined), normalDomain('x'.repeat(254)), normalDomain(' Corp.Test. ')]).toEqual([
    undefined,
    undefined,
    undefined,
    'corp.test',
  ]);
});

const route = (tunnel: boolean) => ({
  family: 4 as const,
  gateway: tunnel ? unavailable('tunnel') : measured('192.168.1.1'),
  interfaceName: tunnel ? 'tun0' : 'wlan0',
  interfaceIndex: 3,
  source: measured('192.168.1.20'),
  tunnel,
});
const underlay = {
  family: 4 as const,
  gateway: '192.168.1.1',
  interfaceName: 'wlan0',
  interfaceIndex: 3,
  endpoint: unavailable('not_supported'),
};

it.each([false, true])('looks at the network beneath a tunnel: %s', async (tunnel) => {
  const identity = await readIdentity({
    findRoute: async () => measured(route(tunnel)),
    findUnderlay: async () => measured(underlay),
    readSsid: async (name) => (name === 'wlan0' ? 'home' : undefined),
    readDomain: async (name) => (name === 'wlan0' ? 'fritz.box' : undefined),
  });
  expect(identity).toEqual({ ...home, tunnel });
});

it('is none without a way out', async () => {
  const none = async () => unavailable('no_target');
  const read = async () => undefined;
  expect(await readIdentity({ findRoute: none, findUnderlay: none, readSsid: read, readDomain: read })).toBeUndefined();
});

it.runIf(process.platform === 'linux')('reads this machine without throwing', async () => {
  const identity = await readNetworkIdentity({ collectSsid: false });
  expect(identity === undefined || typeof identity.tunnel === 'boolean').toBe(true);
});
