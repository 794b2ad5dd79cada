import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PERMISSIONS } from '@svc/contracts/permissions';
import { expect, it } from 'vitest';
import { permissionTitle, refusalWords } from './permission-words.ts';

const SOURCES = join(import.meta.dirname, '..', '..');

it.each(PERMISSIONS)('says in words what %s permits', (permission) => {
  for (const words of [refusalWords(permission), permissionTitle(permission)]) {
    expect(words).not.toContain(permission);
    expect(words).not.toMatch(/\w\.\w|_/);
    expect(words).toMatch(/^[A-Z]/);
  }
  expect(refusalWords(permission)).toMatch(/^Your role cannot [a-z].*\.$/);
});

it('has no key of a permission inside of a sentence', () => {
  const key = PERMISSIONS.map((permission) => permission.replace('.', '\\.')).join('|');
  // Alone between quotes it is a value; anywhere else somebody would read it.
  const inWords = new RegExp(`(?<!["'])\\b(?:${key})\\b|\\b(?:${key})\\b(?!["'])`, 'g');
  const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !/\.test\./.test(file),
  );
  const found = sources.flatMap((file) =>
    [...readFileSync(join(SOURCES, file), 'utf8').matchAll(inWords)].map(([raw]) => `${file}: ${raw}`),
  );
  expect(found).toEqual([]);
});
