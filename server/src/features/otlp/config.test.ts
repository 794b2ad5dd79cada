import { expect, test } from 'vitest';
import { readFragment } from '#kernel';
import { otlpKeys } from './config.ts';

const read = (env: Record<string, string>) => {
  const faults: { path: string; message: string }[] = [];
  return { values: readFragment(otlpKeys, env, faults), faults };
};

test('unset is off', () => {
  expect(read({})).toMatchObject({ values: { grpcAddr: undefined, httpAddr: undefined, maxBytes: 4 * 1024 * 1024 }, faults: [] });
});
