import { describe, expect, it } from 'vitest';
import { createTargetGuard } from './target-guard.ts';

const guard = createTargetGuard({
  forbidden: ['10.9.0.5', '2001:db8:5::/64'],
  ownAddresses: () => ['10.1.2.3', '2001:db8:1::7', 'fe80::1'],
});
const reason = (address: string, host?: string) => guard.refuse(address, host)?.reason;

describe('the target guard', () => {
  it.each([
    ['169.254.169.254', 'metadata'],
    ['fd00:ec2::254', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['169.254.1.1', 'link_local'],
    ['fe80::9%eth0', 'link_local'],
    ['127.0.0.1', 'loopback'],
    ['127.255.0.9', 'loopback'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['0.0.0.0', 'unspecified'],
    ['::', 'unspecified'],
    ['224.0.0.251', 'multicast'],
    ['255.255.255.255', 'multicast'],
    ['ff02::1', 'multicast'],
    ['10.1.2.3', 'own'],
    ['2001:0db8:0001::0007', 'own'],
    ['10.9.0.5', 'forbidden'],
    ['2001:db8:5::99', 'forbidden'],
  ])('refuses %s as %s', (address, expected) => expect(reason(address)).toBe(expected));

  it.each([
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['::127.0.0.1', 'loopback'],
    ['::ffff:0:169.254.169.254', 'metadata'],
    ['64:ff9b::169.254.169.254', 'metadata'],
    ['64:ff9b:1:7f00:0:100::', 'loopback'],
    ['64:ff9b:1::127.0.0.1', 'loopback'],
    ['2002:7f00:1::', 'loopback'],
    ['2002:a9fe:a9fe::1', 'metadata'],
    ['2001:0:7f00:1::', 'loopback'],
    ['2001:0:4136:e378:8000:63bf:80ff:fffe', 'loopback'],
    ['2001:db8::5efe:127.0.0.1', 'loopback'],
    ['::ffff:10.1.2.3', 'own'],
    ['64:ff9b::10.9.0.5', 'forbidden'],
  ])('sees through the disguise %s', (address, expected) => expect(reason(address)).toBe(expected));

  it.each([
    '10.0.0.1',
    '172.16.9.9',
    '192.168.1.1',
    '100.64.0.9',
    'fd12::1',
    '203.0.113.7',
    '2001:db8::1',
    '64:ff9b::203.0.113.7',
    '64:ff9b:1::203.0.113.7',
  ])('lets %s pass', (address) => expect(reason(address)).toBeUndefined());

  it('allows by address, by prefix and by the name that led there, and nothing beside it', () => {
    const open = createTargetGuard({ allow: ['127.0.0.1', 'fd00:ec2::/32', 'Shop.internal.'], ownAddresses: () => ['10.1.2.3'] });
    expect(open.refuse('127.0.0.1')).toBeUndefined();
    expect(open.refuse('::ffff:127.0.0.1')).toBeUndefined();
    expect(open.refuse('127.0.0.2')?.reason).toBe('loopback');
    expect(open.refuse('fd00:ec2::254')).toBeUndefined();
    expect(open.refuse('10.1.2.3', 'shop.internal')).toBeUndefined();
    expect(open.refuse('10.1.2.3', 'other.internal')?.reason).toBe('own');
  });

  it('says which address it is and what would allow it', () => {
    expect(guard.refuse('2002:7f00:1::')?.message).toMatch(/leads to 127\.0\.0\.1, is the loopback .*SVC_TARGETS_ALLOW/);
  });

  it('reads a list that changes, and refuses entries that are none', () => {
    const changing = createTargetGuard({ forbidden: () => ['10.7.7.7'], ownAddresses: () => [] });
    expect(changing.refuse('10.7.7.7')?.reason).toBe('forbidden');
    for (const allow of [['10.0.0.0/33'], ['10.0.0.0/x'], ['not a host'], ['http://x/']])
      expect(() => createTargetGuard({ allow })).toThrow(RangeError);
  });

  it('refuses a name wherever it leads, unless the address or the name is allowed', () => {
    const named = { forbiddenNames: ['Queue.internal'], ownAddresses: () => [] };
    const closed = createTargetGuard(named);
    expect(closed.refuse('10.4.4.4', 'queue.INTERNAL.')?.reason).toBe('forbidden');
    expect(closed.refuse('10.4.4.4', 'other.internal')).toBeUndefined();
    expect(createTargetGuard({ ...named, allow: ['10.4.4.4'] }).refuse('10.4.4.4', 'queue.internal')).toBeUndefined();
    expect(createTargetGuard({ ...named, allow: ['queue.internal'] }).refuse('10.4.4.4', 'queue.internal')).toBeUndefined();
  });

  it('refuses the addresses of this very machine', async () => {
    const { networkInterfaces } = await import('node:os');
    const real = createTargetGuard({});
    for (const list of Object.values(networkInterfaces()))
      for (const { address } of list ?? []) expect(real.refuse(address)).toBeDefined();
  });
});
