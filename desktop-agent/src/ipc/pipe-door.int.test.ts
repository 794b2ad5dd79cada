import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startWindows, windowsMissing, windowsPath } from '@svc/native/testing/windows-machine';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const missing = await windowsMissing();
if (missing) console.warn(`Windows does not run here: ${missing}`);

/** Inside the repository, so that the packages left out of the bundle are found. */
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(CACHE, 'svc-pipe-door-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(missing)('the pipes of a service of the machine (wine)', { timeout: 60_000 }, () => {
  it('answer the session at the console alone, let go of who leaves it, and leave nobody room to take their place', async () => {
    const program = join(folder, 'windows-seat.mjs');
    const entryPoints = [join(import.meta.dirname, '../testing/windows-seat.ts')];
    await build({ entryPoints, outfile: program, bundle: true, platform: 'node', format: 'esm', external: ['koffi'] });
    const windows = await startWindows();
    try {
      const { code, output, words } = await windows.run(program, [windowsPath(join(folder, 'seat', 'seat.pipe'))]);
      expect(`${code} ${words}`).toMatch(/^0 /);
      expect(JSON.parse(output)).toEqual({
        session: 1,
        sameName: 'CreateNamedPipeW: error 231',
        answered: 30,
        otherName: true,
        atOnce: ['let in', 'let in'],
        left: 'let go',
        other: 'forbidden',
        nobody: 'forbidden',
        nameKept: true,
        refused: [1],
        back: 'let in',
        mended: 'let in',
        closed: 'unreachable',
        free: 'done',
        faults: ['ENOENT'],
      });
    } finally {
      await windows.stop();
    }
  });
});
