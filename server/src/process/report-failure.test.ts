import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** What a process that fails after its start shows: its database ends because it is closed on the way out. */
function failAStart(expected: boolean): { status: number | null; stderr: string } {
  const program = `
    import { AppError } from '#kernel';
    import { reportFailure, watchDatabase } from ${JSON.stringify(join(import.meta.dirname, 'report-failure.ts'))};
    let end;
    const database = watchDatabase(new Promise((resolve) => { end = resolve; }));
    ${expected ? 'database.expect();' : ''}
    process.exitCode = reportFailure(new AppError('conflict', 'The first error.'));
    end();`;
  const args = ['--conditions=svc-source', '--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
  return spawnSync(process.execPath, args, { cwd: join(import.meta.dirname, '..'), encoding: 'utf8', timeout: 30_000 });
}

test('the first error of a failed start is the only one shown, though its database is closed afterwards', () => {
  const ended = failAStart(true);
  expect(ended.stderr).toBe('svc: The first error.\n');
  expect(ended.status).toBe(1);
});

test('a database that ends unasked ends the process', () => {
  const ended = failAStart(false);
  expect(ended.stderr).toContain('PostgreSQL stopped unexpectedly');
  expect(ended.status).toBe(1);
});
