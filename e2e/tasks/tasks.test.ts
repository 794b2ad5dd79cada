import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../env.ts';
import { TASKS, type Task } from './tasks.ts';

const tasks: readonly Task[] = Object.values(TASKS);
const cells = ({ task, who, steps, bound }: Task): string[] => [task, who, String(steps), String(bound)];

it('publishes what each task takes, and nothing else', () => {
  const page = readFileSync(join(root, 'docs', 'console', 'tasks.md'), 'utf8');
  const rows = page.split('\n').filter((line) => /^\| .* \| \d+ \| \d+ \|$/.test(line));
  expect(rows.map((row) => row.slice(2, -2).split(' | '))).toEqual(tasks.map(cells));
});

it('keeps each task within its bound', () => {
  expect(tasks).toHaveLength(10);
  expect(tasks.filter(({ steps, bound }) => steps > bound)).toEqual([]);
});
