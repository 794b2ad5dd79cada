import { describe, expect, it } from 'vitest';
import { parseAllowed } from './allowed.ts';
import { createAddressJudge, type Destination, kindOfAddress } from './judge-address.ts';

describe('what an address is', () => {
  it.each([
    ['93.184.216.34', 'public'],
    ['2606:2800:220:1::1', 'public'],
    ['10.1.2.3', 'private'],
    ['172.31.255.255', 'private'],
    ['172.32.0.1', 'public'],
    ['192.168.0.1', 'private'],
    ['100.64.0.1', 'private'],
    ['fd12::1', 'private'],
    ['127.0.0.1', 'loopback'],
    ['127.9.9.9', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['0:0:0:0:0:ffff:7f00:0001', 'loopback'],
    ['64:ff9b::7f00:1', 'loopback'],
    ['64:ff9b::a00:1', 'private'],
    ['64:ff9b::5db8:d822', 'public'],
    ['64:ff9b:1::a00:1', 'reserved'],
    ['2002:7f00:1::', 'reserved'],
    ['::7f00:1', 'reserved'],
    ['169.254.169.254', 'metadata'],
    ['::ffff:169.254.169.254', 'metadata'],
    ['fd00:ec2::254', 'metadata'],
    ['169.254.1.1', 'link_local'],
    ['fe80::1%eth0', 'link_local'],
    ['0.0.0.0', 'reserved'],
    ['::', 'reserved'],
    ['224.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['203.0.113.9', 'reserved'],
  ] as const)('%s is %s', (address, kind) => expect(kindOfAddress(address)).toBe(kind));

  it('is not guessed of what is no address', () => expect(() => kindOfAddress('localhost')).toThrow(RangeError));
});

const at = (host: string, port = 443): Destination => ({ host, port, usualPorts: [443] });

describe('what may be dialled', () => {
  const judge = createAddressJudge(['10.0.0.0/8', 'Models.Internal.', '127.0.0.1', '::1']);

  it('is public, or what the operator named by address or by name', () => {
    expect(judge.refuse('93.184.216.34', at('example.com', 8443))).toBeUndefined();
    expect(judge.refuse('10.2.3.4', at('anything'))).toBeUndefined();
    expect(judge.refuse('192.168.7.7', at('models.internal'))).toBeUndefined();
    expect(judge.refuse('192.168.7.7', at('other.internal'))).toContain('192.168.7.7 is an address of a private network');
  });

  it('is judged by the address, whatever the name says', () => {
    expect(judge.refuse('169.254.169.254', at('public.example'))).toContain('credentials');
    expect(judge.refuse('::ffff:127.0.0.2', at('public.example'))).toContain('127.0.0.2 is the loopback');
  });

  it('is local on this machine’s loopback alone, and only where it is named', () => {
    expect(judge.isLocal('127.0.0.1', at('localhost'))).toBe(true);
    expect(judge.isLocal('::1', at('localhost'))).toBe(true);
    expect(judge.isLocal('127.0.0.2', at('localhost'))).toBe(false);
    expect(judge.isLocal('10.0.0.1', at('models.internal'))).toBe(false);
    expect(createAddressJudge([]).isLocal('127.0.0.1', at('localhost'))).toBe(false);
  });

  it('is no other port than the usual ones of what is spoken, unless the operator named it', () => {
    const mail = (port: number): Destination => ({ host: '127.0.0.1', port, usualPorts: [587, 465, 25] });
    expect(judge.refuse('127.0.0.1', mail(6379))).toBe(
      '127.0.0.1 is the loopback of this server; SVC_OUTBOUND_ALLOW names it, but not with port 6379.',
    );
    expect(judge.refuse('10.2.3.4', at('anything', 5432))).toContain('not with port 5432');
    expect(judge.refuse('192.168.7.7', at('models.internal', 22))).toContain('not with port 22');
    expect(judge.isLocal('127.0.0.1', at('localhost', 11_434))).toBe(false);
    expect(judge.refuse('127.0.0.1', mail(25))).toBeUndefined();
    // Of another protocol.
    expect(judge.refuse('127.0.0.1', mail(443))).toContain('not with port 443');
  });

  it('is what the operator named with its port, and nothing beside it', () => {
    const named = createAddressJudge([
      '127.0.0.1:11434',
      '[::1]:8443',
      '10.0.0.0/8:8000-8099',
      'Models.Internal:9000',
      '[fd12::]',
    ]);
    for (const [address, to] of [
      ['127.0.0.1', at('localhost', 11_434)],
      ['::ffff:127.0.0.1', at('localhost', 11_434)],
      ['::1', at('localhost', 8443)],
      ['10.9.9.9', at('any', 8000)],
      ['10.9.9.9', at('any', 8099)],
      ['192.168.7.7', at('models.internal', 9000)],
      ['fd12::', at('any')],
    ] as const)
      expect(named.refuse(address, to), address).toBeUndefined();
    for (const [address, to] of [
      ['127.0.0.1', at('localhost')],
      ['127.0.0.1', at('localhost', 11_435)],
      ['::1', at('localhost', 11_434)],
      ['10.9.9.9', at('any', 8100)],
      ['192.168.7.7', at('models.internal')],
      ['fd12::1', at('any')],
    ] as const)
      expect(named.refuse(address, to), `${address} ${to.port}`).toContain('SVC_OUTBOUND_ALLOW');
    expect(named.isLocal('127.0.0.1', at('localhost', 11_434))).toBe(true);
  });
});

describe('an entry of the operator’s', () => {
  it.each(['127.0.0.1', '::1', '[::1]:8443', '10.0.0.0/8:443', 'fd00::/8', '[fd00::/8]:443', 'models.internal:8000-8099'])(
    'may be %s',
    (text) => expect(parseAllowed(text)).toBe(text),
  );
  it.each([
    '',
    ':443',
    '127.0.0.1:',
    '127.0.0.1:0',
    '127.0.0.1:65536',
    '127.0.0.1:9-8',
    '127.0.0.1:x',
    '10.0.0.0/33:1',
    '[x y]:1',
    '[::1]8',
  ])('is not "%s"', (text) => expect(() => parseAllowed(text)).toThrow());
});
