import { scenariosOf } from '@svc/simulator/causes/corpus';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CausesProduct, openCausesProduct } from '../open-product.ts';
import { playCorpus } from '../play-corpus.ts';
import { reportOf, summaryOf } from '../report.ts';
import { brokenPromises, score } from '../score.ts';

/** The whole corpus (docs/causes-corpus.md), within five minutes: its figures are told, and `npm run causes` fails where they break the promise. */
const LONGEST_MS = 300_000;

let causes: CausesProduct;
beforeAll(async () => {
  causes = await openCausesProduct();
});
afterAll(async () => await causes?.close());

test('every scenario is played, and how right the panel is is told', { timeout: LONGEST_MS }, async () => {
  const scenarios = scenariosOf(1);
  expect(scenarios.length).toBeGreaterThanOrEqual(60);
  const result = score(await playCorpus(causes, scenarios));
  const broken = brokenPromises(result);
  process.stdout.write(`${broken.length > 0 ? reportOf([['seed 1', result]]) : summaryOf([['seed 1', result]])}\n`);
  expect(result.scored).toHaveLength(scenarios.length);
});
