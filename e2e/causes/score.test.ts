import type { Hypothesis, RootCause } from '@svc/contracts/causes/root-cause';
import { scenariosOf } from '@svc/simulator/causes/corpus';
import type { Scenario } from '@svc/simulator/causes/scenario';
import { expect, test } from 'vitest';
import type { Outcome } from './play-corpus.ts';
import { brokenPromises, score, scoreOne } from './score.ts';

const labels = new Map([
  ['id-1', 'culprit'],
  ['id-2', 'near-host-1'],
]);
const scenario = (family: string): Scenario => {
  const found = scenariosOf(1).find((one) => one.family === family);
  if (!found) throw new Error(`no scenario of ${family}`);
  return found;
};
const told = (kind: Hypothesis['kind'], subject: string): Hypothesis => ({ kind, subject, sentence: '', score: 0.8, parts: [] });
const outcome = (family: string, ...hypotheses: Hypothesis[]): Outcome => ({
  ...{ scenario: scenario(family), labels },
  answer: hypotheses.length === 0 ? undefined : ({ hypotheses } as unknown as RootCause),
});

test('the first cause counts, by its kind and by what is to blame', () => {
  expect(scoreOne(outcome('bad-deploy', told('change', 'id-1'))).verdict).toBe('right');
  expect(scoreOne(outcome('bad-deploy', told('change', 'id-2'), told('change', 'id-1')))).toMatchObject({
    verdict: 'wrong',
    isWrongChange: true,
    toldInTwo: 1,
  });
  expect(scoreOne(outcome('bad-deploy', told('unknown', ''))).verdict).toBe('not_told');
  expect(scoreOne(outcome('bad-deploy')).verdict).toBe('no_incident');
  expect(scoreOne(outcome('slow-database', told('dependency', 'another'))).verdict).toBe('wrong');
});

test('without a cause only "unknown" is right', () => {
  expect(scoreOne(outcome('own-fault', told('unknown', ''))).verdict).toBe('right');
  expect(scoreOne(outcome('own-fault', told('change', 'id-2')))).toMatchObject({ verdict: 'wrong', isWrongChange: true });
  expect(scoreOne(outcome('own-fault', told('capacity', 'web')))).toMatchObject({ verdict: 'wrong', isWrongChange: false });
});

test('nine of ten keep the promise, eight do not', () => {
  const right = outcome('bad-deploy', told('change', 'id-1'));
  const wrong = outcome('bad-deploy', told('unknown', ''));
  const ten = (good: number) => [...Array.from({ length: good }, () => right), ...Array.from({ length: 10 - good }, () => wrong)];
  expect(brokenPromises(score(ten(9)))).toEqual([]);
  expect(brokenPromises(score(ten(8)))).toEqual(['the true cause is first in 80.0 %, not in 90.0 %']);
});
