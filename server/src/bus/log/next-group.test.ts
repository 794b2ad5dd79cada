import { expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { takeGroup } from './next-group.ts';
import type { Pending } from './topic-log.ts';

const call = (name: string, bytes: number): Pending => ({
  messages: [...new Set(name.replace(/\d/g, ''))].map((tenant) => ({
    tenant: parseTenantId(tenant),
    value: Buffer.from(name),
    headersJson: '',
    headersBytes: 0,
  })),
  bytes,
  resolve: () => undefined,
  reject: () => undefined,
});
const names = (calls: readonly Pending[]): string => calls.map(({ messages }) => String(messages[0]?.value)).join(' ');

test('takes all that fits as it came', () => {
  const pending = ['a1', 'b1', 'a2'].map((name) => call(name, 10));
  expect(names(takeGroup(pending, 30))).toBe('a1 b1 a2');
  expect(pending).toEqual([]);
});

test('lets tenants take turns where not all fits, each in its own order', () => {
  const pending = ['a1', 'a2', 'a3', 'a4', 'b1', 'a5', 'c1', 'b2'].map((name) => call(name, 10));
  expect(names(takeGroup(pending, 40))).toBe('a1 b1 c1 a2');
  expect(names(pending)).toBe('a3 a4 a5 b2');
  expect(names(takeGroup(pending, 10))).toBe('a3');
  expect(names(takeGroup(pending, 40))).toBe('a4 b2 a5');
});

test('keeps a commit small where tenants share it, so that nobody waits for all that one has piled up', () => {
  const KB = 1024;
  const pending = [...['a1', 'a2', 'a3'].map((name) => call(name, 100 * KB)), call('b1', KB), call('a4', 100 * KB)];
  expect(names(takeGroup(pending, 1024 * KB))).toBe('a1 b1 a2');
  expect(names(takeGroup(pending, 1024 * KB))).toBe('a3 a4');
  const large = ['a1', 'a2', 'b1', 'b2', 'c1'].map((name) => call(name, 300 * KB));
  expect(names(takeGroup(large, 1024 * KB))).toBe('a1 b1 c1');
});

test('takes one call that is larger than the bound by itself', () => {
  const pending = [call('a1', 100), call('b1', 10)];
  expect(names(takeGroup(pending, 40))).toBe('a1');
  expect(names(pending)).toBe('b1');
});

test('moves nothing past a call of several tenants', () => {
  const pending = ['a1', 'a2', 'ab1', 'b1'].map((name) => call(name, 10));
  expect(names(takeGroup(pending, 20))).toBe('a1 a2');
  expect(names(takeGroup(pending, 10))).toBe('ab1');
});
