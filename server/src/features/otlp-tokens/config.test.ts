import { expect, test } from 'vitest';
import { readFragment } from '#kernel';
import { otlpTokenKeys } from './config.ts';

const read = (env: Record<string, string>) => {
  const faults: { path: string; message: string }[] = [];
  return { values: readFragment(otlpTokenKeys, env, faults), faults };
};

test('tokens are read with their tenants, those that end in "=" too', () => {
  const { values, faults } = read({ SVC_OTLP_TOKENS: 'one=acme, dHdv==other' });
  expect(faults).toEqual([]);
  expect(values.tokens?.reveal()).toEqual([
    { token: 'one', tenant: 'acme' },
    { token: 'dHdv=', tenant: 'other' },
  ]);
});

test.each([
  ['a token without a tenant', 'lonely-secret'],
  ['a tenant that is none', 'good=acme,lonely-secret=No Tenant'],
  ['a tenant without a token', '=acme'],
  ['a token of two tenants', 'lonely-secret=acme,lonely-secret=other'],
  ['a token with a space in it', 'lonely secret=acme'],
])('refuses %s, and does not show it', (_what, text) => {
  const { faults } = read({ SVC_OTLP_TOKENS: text });
  expect(faults).toHaveLength(1);
  expect(faults[0]?.path).toBe('SVC_OTLP_TOKENS');
  expect(faults[0]?.message).not.toMatch(/lonely|secret/);
});
