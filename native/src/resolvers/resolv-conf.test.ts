import { expect, it } from 'vitest';
import { readResolvers } from './linux.ts';
import { isLocalStub, parseResolvConf } from './resolv-conf.ts';

it('takes the servers in their order, each once', () => {
  const contents =
    '# made by hand\nsearch corp.test\nnameserver 10.0.0.53 # first\n nameserver\t2001:db8::53\nnameserver 10.0.0.53\nnameserver fe80::1%eth0\noptions edns0\n';
  expect(parseResolvConf(contents)).toEqual(['10.0.0.53', '2001:db8::53', 'fe80::1%eth0']);
});

it('passes over what is no address, and stops at eight', () => {
  expect(parseResolvConf('nameserver\nnameserver dns.test\n#nameserver 10.0.0.1\nnameserver 10.0.0.300\n')).toEqual([]);
  const many = Array.from({ length: 20 }, (_, i) => `nameserver 10.0.0.${i}`).join('\n');
  expect(parseResolvConf(many)).toHaveLength(8);
});

it('knows a stub on this machine', () => {
  expect(['127.0.0.53', '127.0.0.1', '::1', '10.0.0.1'].map(isLocalStub)).toEqual([true, true, true, false]);
});

it('reads this machine without throwing', async () => {
  const reading = await readResolvers();
  if ('value' in reading) expect(reading.value.servers.length).toBeGreaterThan(0);
  else expect(reading.unavailable).toBe('no_target');
});
