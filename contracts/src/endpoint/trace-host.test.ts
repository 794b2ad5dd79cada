import { expect, it } from 'vitest';
import { traceHostFault } from './trace-host.ts';

it('takes host names and addresses', () => {
  const hosts = ['crm.suite.example', 'localhost', '192.0.2.9', '2001:db8::1', '_dmarc.example', 'xn--bcher-kva.example'];
  expect(hosts.map(traceHostFault)).toEqual(hosts.map(() => undefined));
});

it.each([
  ['https://crm.example/', '“https://crm.example/” has a scheme: enter the host name alone.'],
  ['bücher.example', '“bücher.example” is an internationalized name: enter its ASCII form, xn--bcher-kva.example.'],
  ['-v', '“-v” is not a host name or an address.'],
  ['crm.example/login', '“crm.example/login” is not a host name or an address.'],
  ['bü cher', '“bü cher” is not a host name or an address.'],
])('says what is wrong with %s', (host, fault) => {
  expect(traceHostFault(host)).toBe(fault);
});
