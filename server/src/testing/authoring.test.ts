import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { measure, readCases, readKnown, SETS } from './measure-authoring.ts';

const known = readKnown();
const all = SETS.flatMap((set) => readCases(set));

it('has 300 requests, 40 of which are impossible at least', () => {
  expect(all.length).toBeGreaterThanOrEqual(300);
  expect(all.filter(({ w }) => w === 'none').length).toBeGreaterThanOrEqual(40);
  expect(new Set(all.map(({ q }) => q)).size).toBe(all.length);
});

it.each([
  ['all', all],
  ['held-out', readCases('held-out')],
  ['strangers', readCases('strangers')],
  ['reviewers', readCases('reviewers')],
] as const)('reads 92 of 100 of %s exactly, 2 at most wrongly, and invents nothing', (_, cases) => {
  const { exact, wrong, invented } = measure(cases, known);
  expect({ exact: exact / cases.length >= 0.92, wrong: wrong / cases.length <= 0.02, invented }).toEqual({
    exact: true,
    wrong: true,
    invented: 0,
  });
});

it('makes the same of the same words in every time zone and language of the machine', () => {
  const places = [
    { TZ: 'Pacific/Kiritimati', LC_ALL: 'tr-TR' },
    { TZ: 'America/St_Johns', LC_ALL: 'ar-EG' },
  ];
  const answers = places.map((place) => {
    const program = join(import.meta.dirname, 'authoring-child.ts');
    const { stdout } = spawnSync(process.execPath, ['--conditions=svc-source', '--no-deprecation', program], {
      env: place,
      encoding: 'utf8',
    });
    return JSON.parse(stdout) as { hash: string; zone: string; locale: string };
  });
  expect(answers.map(({ zone }) => zone)).toEqual(places.map(({ TZ }) => TZ));
  expect(new Set(answers.map(({ locale }) => locale)).size).toBe(places.length);
  expect(answers[0]?.hash).toBe(answers[1]?.hash);
});
