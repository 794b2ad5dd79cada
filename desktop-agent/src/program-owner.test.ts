import { chmod, chown, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findOpenPlace, refuseOpenPlace } from './program-owner.ts';

const isRoot = process.geteuid?.() === 0;
const uid = process.geteuid?.() ?? 0;
let folder: string;
let program: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'svc-owner-')));
  await mkdir(join(folder, 'lib', 'agent'), { recursive: true });
  program = join(folder, 'lib', 'agent', 'svc-agent.mjs');
  await writeFile(program, '', { mode: 0o644 });
});
afterEach(() => rm(folder, { recursive: true }));

describe.skipIf(process.platform === 'win32')('a program of the machine', () => {
  it('runs where root and its own user alone may write; a folder with the sticky bit above it is none of others', async () => {
    expect(await findOpenPlace([program], uid)).toBeUndefined();
    await expect(refuseOpenPlace([program])).resolves.toBeUndefined();
  });

  it.each([
    ['the file', 'svc-agent.mjs', 0o664],
    ['its folder', '.', 0o777],
    ['a folder above', '..', 0o775],
  ])('does not run where others may write to %s', async (_, what, mode) => {
    const open = join(folder, 'lib', 'agent', what);
    await chmod(open, mode);
    expect(await findOpenPlace([process.execPath, program].slice(1), uid)).toBe(open);
    await expect(refuseOpenPlace([program])).rejects.toThrow(`other users may write to ${open}`);
  });

  it.runIf(isRoot)(
    'does not run where a folder above belongs to an ordinary user, as to Homebrew’s, also behind a link',
    async () => {
      await chown(join(folder, 'lib'), 501, 20);
      const link = join(folder, 'link');
      await symlink(program, link);
      expect(await findOpenPlace([link], uid)).toBe(join(folder, 'lib'));
      expect(await findOpenPlace([program], 501)).toBeUndefined();
    },
  );
});
