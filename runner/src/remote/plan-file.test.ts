import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlannedTestMessage } from '@svc/contracts/tests/runner-messages';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPlanFile } from './plan-file.ts';

const OWNER = { tenant_id: 'acme', runner_id: 'porto' };
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-plan-'));
});
afterEach(async () => await rm(folder, { recursive: true, force: true }));

const message = (n: number): PlannedTestMessage => ({
  test_json: Buffer.from(JSON.stringify({ name: `test ${n}`, text: 'ü\n' })),
  secrets: n % 2 === 0 ? [] : [{ name: 'key', hosts: ['shop.example'], sealed: Buffer.from([1, 2, 255, n % 256]) }],
});
const plan = Array.from({ length: 1000 }, (_, n) => message(n));

it('gives back what was kept, to its runner alone', async () => {
  const file = openPlanFile(folder);
  expect(await file.load(OWNER)).toEqual([]);
  await file.save(OWNER, plan);
  expect(await openPlanFile(folder).load(OWNER)).toEqual(plan);
  expect(await file.load({ ...OWNER, runner_id: 'lisbon' })).toEqual([]);
  expect(await file.load({ ...OWNER, tenant_id: 'other' })).toEqual([]);
  expect((await stat(join(folder, 'plan.jsonl'))).mode & 0o777).toBe(0o600);
  await file.remove();
  expect(await file.load(OWNER)).toEqual([]);
});

it('takes no half of a plan, and keeps the one before where a new one was not finished', async () => {
  const file = openPlanFile(folder);
  await file.save(OWNER, plan);
  const whole = await readFile(join(folder, 'plan.jsonl'), 'utf8');
  await writeFile(join(folder, 'plan.jsonl.new'), whole.slice(0, 500));
  expect(await file.load(OWNER)).toHaveLength(1000);
  await truncate(join(folder, 'plan.jsonl'), whole.length - 300);
  expect(await file.load(OWNER)).toEqual([]);
  await writeFile(join(folder, 'plan.jsonl'), whole.split('\n').toSpliced(5, 1).join('\n'));
  expect(await file.load(OWNER)).toEqual([]);
  await writeFile(join(folder, 'plan.jsonl'), 'what is this');
  expect(await file.load(OWNER)).toEqual([]);
});
