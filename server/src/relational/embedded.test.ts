import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findPostgresBinaries, hydrateSymlinks } from './embedded-binaries.ts';

test('library links that npm does not pack are made where install scripts did not run', () => {
  const root = mkdtempSync(join(tmpdir(), 'svc-symlinks-'));
  mkdirSync(join(root, 'native', 'lib'), { recursive: true });
  writeFileSync(join(root, 'native', 'lib', 'libpq.so.5.18'), 'library');
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }];
  writeFileSync(join(root, 'native', 'pg-symlinks.json'), JSON.stringify(links));
  hydrateSymlinks(root);
  hydrateSymlinks(root);
  expect(readlinkSync(join(root, 'native', 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18');
  expect(readFileSync(join(root, 'native', 'lib', 'libpq.so.5'), 'utf8')).toBe('library');
  rmSync(root, { recursive: true, force: true });
});

test('the programs of this platform are found and are PostgreSQL 18', () => {
  const { postgres } = findPostgresBinaries();
  expect(spawnSync(postgres, ['--version'], { encoding: 'utf8' }).stdout).toMatch(/^postgres \(PostgreSQL\) 18\./);
});

test.runIf(process.platform === 'linux' && process.getuid?.() === 0)('root without user namespaces is told what to do', () => {
  const file = JSON.stringify(join(import.meta.dirname, 'embedded-process.ts'));
  const script = `import { commandFor } from ${file}; try { commandFor('postgres', []); } catch (error) { console.log(error.code, error.message); }`;
  // An empty PATH hides unshare, as a system that lacks or refuses it does.
  const ended = spawnSync(process.execPath, ['--conditions=svc-source', '--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
    env: { PATH: '/nonexistent' },
    encoding: 'utf8',
  });
  expect(ended.stdout).toMatch(/^unavailable PostgreSQL does not run as root.*ordinary user.*SVC_DATABASE_URL/);
});
