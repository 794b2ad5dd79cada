import { describe, expect, test } from 'vitest';
import { type Anchored, anchorsOf, canonicalTarget } from './anchors.ts';
import { findMatch } from './match.ts';

test.each([
  ['https://Shop.Example./cart?x=1', 'shop.example'],
  ['https://shop.example:8443/', 'shop.example:8443'],
  ['http://shop.example:80', 'shop.example'],
  ['SHOP.example.', 'shop.example'],
  ['shop.example:443', 'shop.example'],
  ['mail.example:25', 'mail.example:25'],
  ['shop.example/health', 'shop.example'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['[2001:DB8::1]:53', '[2001:db8::1]:53'],
  ['2001:db8:0:0::1', '2001:db8::1'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['https://[::ffff:203.0.113.9]/', '203.0.113.9'],
  ['checkout', 'checkout'],
  ['', ''],
  ['https://', 'https'],
  [`${'a'.repeat(3000)}.example`, 'a'.repeat(253)],
])('the target %s reads %s', (target, expected) => {
  expect(canonicalTarget(target)).toBe(expected);
});

type Given = Partial<Anchored>;
const why = (a: Given, b: Given): string | undefined =>
  findMatch(anchorsOf({ attributes: {}, ...a }), anchorsOf({ attributes: {}, ...b }))?.why;

describe('two signals are of one event', () => {
  test.each<[string, Given, Given, string]>([
    ['a URL and its host', { target: 'https://shop.example/a' }, { target: 'shop.example' }, 'same target'],
    ['capitals and the dot at the end', { target: 'SHOP.example.' }, { target: 'shop.example' }, 'same target'],
    ['host and port and the URL', { target: 'shop.example:443' }, { target: 'https://shop.example' }, 'same target'],
    ['two ports of one host', { target: 'shop.example:25' }, { target: 'https://shop.example' }, 'same host, ports 443 and 25'],
    ['an address written as IPv6', { target: '::ffff:203.0.113.9' }, { target: '203.0.113.9' }, 'same target'],
    [
      'a service and the name that it answers at',
      { target: 'checkout', attributes: { 'server.address': 'Shop.example' } },
      { target: 'https://shop.example' },
      'both lead to shop.example',
    ],
    [
      'a name and the address that was dialled',
      { target: 'https://shop.example', attributes: { 'network.peer.address': '203.0.113.9' } },
      { target: '203.0.113.9:443' },
      'both lead to 203.0.113.9',
    ],
    [
      'a service and its name in a cluster',
      { target: 'orders' },
      { target: 'orders.shop.svc.cluster.local:8080' },
      'both lead to orders',
    ],
    [
      'an address inside of a public prefix',
      { target: '203.0.113.9' },
      { prefix: '203.0.113.0/24' },
      'prefix 203.0.113.0/24 covers 203.0.113.9',
    ],
    [
      'a prefix inside of a public prefix',
      { prefix: '203.0.113.128/25' },
      { prefix: '203.0.113.0/24' },
      'prefix 203.0.113.0/24 covers 203.0.113.128/25',
    ],
    [
      'an address inside of a private prefix of the same site',
      { target: '10.64.32.9', site: 'Berlin' },
      { prefix: '10.64.32.0/20', site: 'Berlin' },
      'prefix 10.64.32.0/20 covers 10.64.32.9',
    ],
    [
      'the same private prefix of one site',
      { prefix: '10.0.0.0/24', site: 'Berlin' },
      { prefix: '10.0.0.7/24', site: 'Berlin' },
      'same prefix 10.0.0.0/24',
    ],
    [
      'the same private address, one without a site',
      { target: '10.0.0.5' },
      { target: '10.0.0.5', site: 'Berlin' },
      'same target',
    ],
  ])('%s', (_words, ...[a, b, expected]) => {
    expect(why(a, b)).toBe(expected);
  });
});

describe('two signals are not of one event', () => {
  test.each<[string, Given, Given]>([
    ['two hosts', { target: 'a.example' }, { target: 'b.example' }],
    ['a host and one below it', { target: 'example' }, { target: 'shop.example' }],
    ['private prefixes of two sites', { prefix: '192.168.1.0/24', site: 'Berlin' }, { prefix: '192.168.1.0/24', site: 'Porto' }],
    ['private prefixes without a site', { prefix: '192.168.1.0/24' }, { prefix: '192.168.1.0/24' }],
    ['an address without a site and a private prefix', { target: '10.64.32.9' }, { prefix: '10.64.32.0/20', site: 'Berlin' }],
    ['the same private address at two sites', { target: '10.0.0.5', site: 'Porto' }, { target: '10.0.0.5', site: 'Berlin' }],
    ['a prefix that covers everything', { target: '203.0.113.9' }, { prefix: '0.0.0.0/0' }],
    ['nothing in common at all', { site: 'Berlin' }, { site: 'Berlin' }],
    ['nonsense', { target: '::::' }, { prefix: '10.0.0.0/99' }],
  ])('%s', (_words, a, b) => {
    expect(why(a, b)).toBeUndefined();
    expect(why(b, a)).toBeUndefined();
  });
});

describe('tests that do not run', () => {
  const silent = (attributes: Record<string, string>, target = 'https://shop.example/'): Given => ({
    ...{ kind: 'test.not_running', target },
    attributes: { 'test.id': 't1', 'test.type': 'icmp', 'runner.id': 'berlin', ...attributes },
  });
  const gone = { reason: 'no_runner_connected' };

  test.each<[string, Given, Given]>([
    ['for one runner that is gone', silent(gone), silent({ ...gone, 'test.id': 't2' }, 'mail.example')],
    [
      'of one type, for what a runner cannot do',
      silent({ reason: 'runner_not_capable' }),
      silent({ reason: 'runner_not_capable', 'test.id': 't2', 'runner.id': 'porto,berlin' }),
    ],
    ['for a tenant that has too many runs', silent({ reason: 'rate' }), silent({ reason: 'rate', 'runner.id': 'porto' })],
    ['twice for a reason of its own', silent({ reason: 'secret' }), silent({ reason: 'secret' })],
  ])('are one event %s', (_words, a, b) => {
    expect(why(a, b)).toBe('not run for the same reason');
  });

  test.each<[string, Given, Given]>([
    ['what fails at the same target', silent(gone), { kind: 'test.failing', target: 'https://shop.example/' }],
    ['devices behind a prefix that covers it', silent(gone, '203.0.113.9'), { prefix: '203.0.113.0/24' }],
    ['those of another runner', silent(gone), silent({ ...gone, 'runner.id': 'porto' })],
    ['those that do not run for another reason', silent(gone), silent({ reason: 'late' })],
    [
      'another type on the same runner',
      silent({ reason: 'runner_not_capable' }),
      silent({ reason: 'runner_not_capable', 'test.type': 'browser' }),
    ],
    ['another test whose reason is its own', silent({ reason: 'secret' }), silent({ reason: 'secret', 'test.id': 't2' })],
  ])('are not one with %s', (_words, a, b) => {
    expect(why(a, b)).toBeUndefined();
    expect(why(b, a)).toBeUndefined();
  });
});
