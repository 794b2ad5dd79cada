import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';
import { createBlockFiles } from './block-files.ts';

function openFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-block-files-'));
  const files = createBlockFiles(folder);
  onTestFinished(async () => {
    await files.close();
    rmSync(folder, { recursive: true });
  });
  return files;
}

const read = async (path: string) => ({ path, text: readFileSync(path, 'utf8') });

test('a file is written again, and holds exactly the block: longer, shorter, empty', async ({ expect }) => {
  const files = openFiles();
  const blocks = ['a block', 'a longer block than that', 'short', '', 'and one more'];
  const seen = [];
  for (const block of blocks) seen.push(await files.use(Buffer.from(block), read));
  expect(seen.map(({ text }) => text)).toEqual(blocks);
  expect(new Set(seen.map(({ path }) => path)).size).toBe(1);
});

test('two at once have a file each', async ({ expect }) => {
  const files = openFiles();
  const other = () => files.use(Buffer.from('inner'), read);
  const [inner, outer] = await files.use(Buffer.from('outer'), async (path) => [await other(), await read(path)]);
  expect([inner?.text, outer?.text]).toEqual(['inner', 'outer']);
});

test('a file whose reader failed is not written again', async ({ expect }) => {
  const files = openFiles();
  let failed = '';
  const fail = (path: string): Promise<void> => {
    failed = path;
    return Promise.reject(new Error('no such table'));
  };
  await expect(files.use(Buffer.from('refused'), fail)).rejects.toThrow('no such table');
  expect(existsSync(failed)).toBe(false);
  const { path, text } = await files.use(Buffer.from('next'), read);
  expect(text).toBe('next');
  expect(path).not.toBe(failed);
});
