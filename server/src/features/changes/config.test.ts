import { expect, test } from 'vitest';
import { readFragment } from '#kernel';
import { changeKeys } from './config.ts';

const read = (env: Record<string, string>) => {
  const faults: { path: string; message: string }[] = [];
  const values = readFragment(changeKeys, env, faults);
  return { values, faults };
};

test('a webhook is four fields, of which the last may hold colons', () => {
  const { values, faults } = read({ SVC_CHANGE_WEBHOOKS: 'ci-1:acme:generic:a:b:c, gh:acme:forge_a:whatever16chars' });
  expect(faults).toEqual([]);
  expect(values.webhooks?.reveal()).toEqual([
    { id: 'ci-1', tenant: 'acme', provider: 'generic', secret: 'a:b:c' },
    { id: 'gh', tenant: 'acme', provider: 'forge_a', secret: 'whatever16chars' },
  ]);
});

test.each([
  'a:acme:generic',
  'a:acme:gitea:s',
  'a b:acme:generic:s',
  'a:Not Slug:generic:s',
  'a:acme:generic:s,a:other:generic:t',
])('refuses %j without showing the secret', (text) => {
  const { faults } = read({ SVC_CHANGE_WEBHOOKS: text });
  expect(faults).toMatchObject([{ path: 'SVC_CHANGE_WEBHOOKS' }]);
  expect(faults[0]?.message).not.toContain(text);
});

test('the window is a time of at most thirty days', () => {
  expect(read({}).values.windowMs).toBe(24 * 3_600_000);
  expect(read({ SVC_CHANGE_CORRELATION_WINDOW: '90m' }).values.windowMs).toBe(90 * 60_000);
  for (const text of ['0h', '31d', '24', 'h', '-1h'])
    expect(read({ SVC_CHANGE_CORRELATION_WINDOW: text }).faults).toHaveLength(1);
});
