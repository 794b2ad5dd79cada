import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readInstallation } from './installation.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-installed-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function install(inCheckout: boolean): Promise<string> {
  const program = join(folder, 'desktop-agent', 'dist', 'svc-agent.mjs');
  await mkdir(join(folder, 'desktop-agent', 'dist'), { recursive: true });
  await mkdir(join(folder, 'scripts'));
  await writeFile(program, '');
  if (inCheckout) await writeFile(join(folder, 'scripts', 'setup.js'), '');
  return program;
}

it('tells a checkout, and since when an installed program is there', async () => {
  const path = await install(true);
  expect(await readInstallation({ path, appImage: undefined, isManaged: false })).toEqual({ by: 'checkout', lastUpdateMs: null });
  await rm(join(folder, 'scripts', 'setup.js'));
  const installed = await readInstallation({ path, appImage: undefined, isManaged: true });
  expect(installed.by).toBe('mdm');
  expect(Math.abs(Date.now() - (installed.lastUpdateMs ?? 0))).toBeLessThan(60_000);
});
