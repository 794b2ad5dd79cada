import { expect, it } from 'vitest';
import { SetSecret } from './keeping.ts';
import { TestSpec } from './test.ts';

const faultOf = (params: object): string | undefined =>
  TestSpec.safeParse({ name: 'a', type: 'https', target: 'https://shop.example/', params }).error?.issues[0]?.message;
const refs = (count: number): string => Array.from({ length: count }, (_, n) => `$\{secret:s${n}}`).join('');

it('names the types where one is none of them', () => {
  const found = TestSpec.safeParse({ name: 'a', type: 'htp', target: 'x' }).error?.issues[0];
  expect(found).toMatchObject({ path: ['type'], message: 'The type is one of http, https, dns, icmp, tcp, udp, browser.' });
});

it('parameters have a size in all', () => {
  expect(faultOf({ body: 'x'.repeat(65_536), tls: { ca_pem: 'x'.repeat(60_000) } })).toBeUndefined();
  const headers = Array.from({ length: 40 }, (_, n) => ({ name: `x-${n}`, value: 'x'.repeat(4000) }));
  expect(faultOf({ headers })).toBe('The parameters have at most 128 KiB in all.');
});

it('a test refers to no more secrets than a runner takes', () => {
  expect(faultOf({ body: refs(19), tls: { client_certificate: 'mine' } })).toBeUndefined();
  expect(faultOf({ body: refs(20) })).toBeUndefined();
  expect(faultOf({ body: refs(20), tls: { client_certificate: 'mine' } })).toBe('A test refers to at most 20 secrets.');
});

it('a secret is no longer than a runner takes', () => {
  const of = (length: number) => SetSecret.safeParse({ name: 'a', hosts: ['a.example'], value: 'x'.repeat(length) }).success;
  expect([of(16_384), of(16_385)]).toEqual([true, false]);
});
