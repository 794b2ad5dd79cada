import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findMissing } from './complete-lock.js';

const read = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, '..', name), 'utf8'));

it('the lock file holds every platform package, so that npm ci works everywhere ("npm run lock" mends it)', () => {
  expect(findMissing(read('package-lock.json'))).toEqual({});
});

it('knows the platform of a package by its name', () => {
  const packages = { '': { optionalDependencies: { '@a/cli-linux-arm64-musl': '1.2.3' } } };
  const entry = { version: '1.2.3', cpu: ['arm64'], libc: ['musl'], os: ['linux'], optional: true };
  expect(findMissing({ packages })).toEqual({ 'node_modules/@a/cli-linux-arm64-musl': entry });
});

it('the lock file names no place to download from', () => {
  const places = Object.values(read('package-lock.json').packages as Record<string, { resolved?: string }>).map(
    (one) => one.resolved,
  );
  expect(places.filter((place) => place?.startsWith('http'))).toEqual([]);
});
