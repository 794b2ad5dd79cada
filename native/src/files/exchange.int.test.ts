import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createExchange } from './exchange.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-exchange-'));
  for (const name of ['one', 'other']) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'held'), name);
  }
});
afterEach(() => rm(folder, { recursive: true }));
const held = (name: string): Promise<string> => readFile(join(folder, name, 'held'), 'utf8');

test.runIf(process.platform === 'linux')('two folders that are not empty change places', async () => {
  expect(createExchange()(join(folder, 'one'), join(folder, 'other'))).toBe(true);
  expect([await held('one'), await held('other')]).toEqual(['other', 'one']);
  expect((await readdir(folder)).toSorted()).toEqual(['one', 'other']);
});

test('nothing changes where one is missing, or the system has no such call', async () => {
  expect(createExchange()(join(folder, 'one'), join(folder, 'nowhere'))).toBe(false);
  expect(createExchange('win32')(join(folder, 'one'), join(folder, 'other'))).toBe(false);
  // Libraries of another system do not load here.
  if (process.platform === 'linux') expect(createExchange('darwin')(join(folder, 'one'), join(folder, 'other'))).toBe(false);
  expect([await held('one'), await held('other')]).toEqual(['one', 'other']);
});
