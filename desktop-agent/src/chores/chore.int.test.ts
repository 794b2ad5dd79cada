import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { builtAgent } from '../testing/agent-process.ts';
import { createRunChore } from './run-chore.ts';

const chorePath = join(dirname(builtAgent), 'chore.mjs');

describe('a chore', () => {
  it.each([
    ['child', false],
    ['thread', true],
  ])('answers from a %s, also with a refusal', async (_, inThread) => {
    const runChore = createRunChore(chorePath, inThread);
    expect(await runChore('hostFacts', {})).toMatchObject({ os: expect.any(String), arch: process.arch });
    expect((await runChore('readRoots', {}))[0]).toContain('BEGIN CERTIFICATE');
    await expect(runChore('parsePolicy', { json: '{"version":-1}' })).rejects.toMatchObject({ code: 'bad_answer' });
  });

  it.each([false, true])('is told where it cannot be started (in a thread: %s)', async (inThread) => {
    const runChore = createRunChore('/nowhere/chore.mjs', inThread);
    await expect(runChore('hostFacts', {})).rejects.toMatchObject({ code: 'internal' });
  });

  it('ends without a word where its parent is gone before the answer', async () => {
    const child = spawn(process.execPath, [chorePath], { stdio: 'pipe' });
    child.stdout.destroy();
    child.stdin.end(JSON.stringify({ name: 'readRoots', input: {} }));
    const [words, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect([words, code]).toEqual(['', 1]);
  });
});
