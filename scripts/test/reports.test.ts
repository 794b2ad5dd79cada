import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findUnstable, judge, readReport } from './reports.js';

const root = join(import.meta.dirname, '..', '..');

/** Files of one real run of vitest, each with another kind of fault. */
const FILES = {
  'passes.test.js': "it('passes', () => {});",
  'flaky.test.js': "it('is flaky', () => { if (!existsSync(marker)) { writeFileSync(marker, ''); throw new Error('once'); } });",
  'hook.test.js':
    "describe('a group', () => { beforeAll(() => { throw new Error('no server'); }); it('waits for it', () => {}); });",
  'import.test.js': "throw new Error('does not load');",
  'rejects.test.js':
    "it('leaves a rejection', () => new Promise((resolve) => { Promise.reject(new Error('nobody awaits')); setTimeout(resolve, 50); }));",
};

let folder = '';
const run = (name: string, files: readonly string[]) => {
  const report = join(folder, `${name}.json`);
  const reporter = `--reporter=${join(import.meta.dirname, 'vitest-reporter.js')}`;
  const args = ['run', '--config', join(folder, 'vitest.config.js'), reporter, `--outputFile=${report}`, ...files];
  const { status } = spawnSync(join(root, 'node_modules', '.bin', 'vitest'), args, { cwd: folder, encoding: 'utf8' });
  return { ok: status === 0, report: readReport(report, root) };
};

beforeAll(() => {
  mkdirSync(join(root, '.cache'), { recursive: true });
  folder = mkdtempSync(join(root, '.cache', 'runner-'));
  const marker = JSON.stringify(join(folder, 'marker'));
  for (const [name, text] of Object.entries(FILES))
    writeFileSync(
      join(folder, name),
      `import { existsSync, writeFileSync } from 'node:fs';\nimport { beforeAll, describe, it } from 'vitest';\nconst marker = ${marker};\n${text}\n`,
    );
  writeFileSync(join(folder, 'vitest.config.js'), `export default { root: ${JSON.stringify(folder)}, test: { exclude: [] } };\n`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the report of a real run of vitest', () => {
  it('tells tests, hooks, files that do not load and errors outside of tests apart', { timeout: 60_000 }, () => {
    const { ok, report } = run('all', []);
    const verdict = judge(ok, report);
    expect(ok).toBe(false);
    expect(verdict.passed).toBe(2);
    expect(verdict.failures.map(({ file, name }: { file: string; name: string }) => `${file}: ${name}`).toSorted()).toEqual([
      'flaky.test.js: is flaky',
      'hook.test.js: a group: no server',
      'import.test.js: the file: does not load',
    ]);
    expect(verdict.failures.map(({ reason }: { reason?: string }) => reason)).toContain('once');
    expect(verdict.errors).toEqual(['an error outside of any test: Error: nobody awaits']);
    expect(report.files).toHaveLength(5);
    expect(report.files.every(({ seconds }: { seconds: number }) => seconds >= 0)).toBe(true);

    const flaky = verdict.failures.filter(({ file }: { file: string }) => file === 'flaky.test.js');
    const again = run('flaky', ['flaky.test.js']);
    expect(findUnstable(flaky, again.ok, again.report)).toEqual(flaky);
    const rejects = run('rejects', ['rejects.test.js']);
    expect(findUnstable([{ file: 'rejects.test.js', name: 'leaves a rejection' }], rejects.ok, rejects.report)).toEqual([]);
  });

  it('is none where the file is missing or cut off', () => {
    expect(readReport(join(folder, 'none.json'), root)).toBeUndefined();
    writeFileSync(join(folder, 'cut.json'), '{"runner":"vitest","te');
    expect(readReport(join(folder, 'cut.json'), root)).toBeUndefined();
  });
});

describe('a report of Playwright', () => {
  const spec = (title: string, status: string, more: object = {}) => ({
    title,
    file: 'a.spec.ts',
    tests: [{ status, annotations: [], results: [{ duration: 2000 }], ...more }],
  });

  it('has the titles of groups, the seconds of files, and what was not begun apart from what was skipped', () => {
    const path = join(folder, 'playwright.json');
    const specs = [
      spec('passes', 'expected'),
      spec('fails', 'unexpected', {
        results: [{ duration: 2000, error: { message: '\u001b[31mexpected 1\u001b[39m\n  to be 2' } }],
      }),
      spec('is skipped', 'skipped', { annotations: [{ type: 'skip', description: 'no bus' }], results: [] }),
      spec('is not begun', 'skipped', { results: [] }),
    ];
    const suites = [{ title: 'a.spec.ts', file: 'a.spec.ts', suites: [{ title: 'a group', file: 'a.spec.ts', specs }] }];
    writeFileSync(path, JSON.stringify({ config: { rootDir: join(root, 'e2e', 'tests') }, suites, errors: [], stats: {} }));
    const report = readReport(path, root);
    expect(report.files).toEqual([{ file: relative(root, join(root, 'e2e', 'tests', 'a.spec.ts')), seconds: 4 }]);
    expect(report.tests.map(({ name, state, note }: Record<string, string>) => [name, state, note])).toEqual([
      ['a group > passes', 'passed', undefined],
      ['a group > fails', 'failed', undefined],
      ['a group > is skipped', 'skipped', 'no bus'],
      ['a group > is not begun', 'pending', undefined],
    ]);
    expect(judge(false, report).failures.map(({ name, reason }: { name: string; reason?: string }) => [name, reason])).toEqual([
      ['a group > fails', 'expected 1 to be 2'],
      ['a group > is not begun', undefined],
    ]);
  });
});
