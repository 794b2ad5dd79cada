import { expect, it } from 'vitest';
import { shortTarget, targetHost } from './targets.ts';

it('calls a target by its first name and tells two pages of one host apart', () => {
  const named = [
    'https://crm.suite.example/',
    'crm.suite.example',
    'crm.suite.example/login',
    'crm.suite.example:8443',
    'www.shop.example',
  ];
  expect(named.map(shortTarget)).toEqual(['crm', 'crm', 'crm/login', 'crm:8443', 'shop']);
  expect(named.map(targetHost)).toEqual([...Array(4).fill('crm.suite.example'), 'www.shop.example']);
});

it('leaves addresses whole', () => {
  const addresses = ['198.51.100.7', '198.51.100.7:8443/x', '2001:db8::1', 'https://[2001:db8::1]/'];
  expect(addresses.map(shortTarget)).toEqual(['198.51.100.7', '198.51.100.7:8443/x', '2001:db8::1', '2001:db8::1']);
});
