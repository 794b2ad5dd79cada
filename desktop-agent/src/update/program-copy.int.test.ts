import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { restoreAndCut } from '../testing/restore-program.ts';
import { createProgramCopy, placeOf } from './program-copy.ts';

let root: string;
let folder: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-copy-'));
  folder = join(root, 'data', 'earlier-version');
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** A program of one file or one folder, whose content tells its version twice. */
async function place(program: string, isFolder: boolean, version: string): Promise<void> {
  await rm(program, { recursive: true, force: true });
  if (!isFolder) return await writeFile(program, `${version} ${version}`);
  await mkdir(join(program, 'Contents'), { recursive: true });
  for (const part of ['run', 'lib']) await writeFile(join(program, 'Contents', part), version);
}
async function versionOf(program: string, isFolder: boolean): Promise<string> {
  const parts = isFolder
    ? await Promise.all(['run', 'lib'].map((part) => readFile(join(program, 'Contents', part), 'utf8')))
    : (await readFile(program, 'utf8')).split(' ');
  return parts.join(' ');
}

const KINDS = [
  { name: 'a file', isFolder: false, exchanges: false },
  { name: 'a folder on a disk that exchanges', isFolder: true, exchanges: true },
  { name: 'a folder on one that does not', isFolder: true, exchanges: false },
];

describe.each(KINDS)('$name that is put back while the power goes', ({ isFolder, exchanges }) => {
  it('is there and whole at the next start, whenever it went', async () => {
    const program = join(root, 'app', isFolder ? 'Network check.app' : 'agent.AppImage');
    await mkdir(join(root, 'app'));
    let cuts = 0;
    for (let steps = 0; ; steps += 1) {
      await place(program, isFolder, 'old');
      const copy = createProgramCopy({ program, folder });
      await copy.keep();
      await place(program, isFolder, 'new');
      const signal = await restoreAndCut({ program, folder, exchanges, steps });
      // Without any help where one step is enough; the other is found by whatever starts next.
      if (!isFolder || exchanges) expect(['old old', 'new new']).toContain(await versionOf(program, isFolder));
      await createProgramCopy({ program, folder }).recover();
      expect(['old old', 'new new']).toContain(await versionOf(program, isFolder));
      expect(await readdir(join(root, 'app'))).toHaveLength(1);
      if (signal === null) {
        expect(await versionOf(program, isFolder)).toBe('old old');
        break;
      }
      cuts += 1;
    }
    expect(cuts).toBeGreaterThan(1);
  }, 60_000);
});

it('knows its place where it was started from beside it', async () => {
  expect(placeOf('/Applications/Network check.app')).toBe('/Applications/Network check.app');
  expect(placeOf('/Applications/.Network check.app.failed')).toBe('/Applications/Network check.app');
  expect(placeOf('/Applications/.Network check.app.earlier')).toBe('/Applications/Network check.app');
  const program = join(root, 'Network check.app');
  await place(program, true, 'new');
  await rename(program, join(root, '.Network check.app.failed'));
  await createProgramCopy({ program, folder }).recover();
  expect(await versionOf(program, true)).toBe('new new');
});
