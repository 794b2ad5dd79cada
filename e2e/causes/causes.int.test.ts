import { scenariosOf } from '@svc/simulator/causes/corpus';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CausesProduct, openCausesProduct } from './open-product.ts';
import { playCorpus } from './play-corpus.ts';
import { score } from './score.ts';

/** Of the corpus (docs/causes-corpus.md) a layer, and neither a change nor a layer. The whole of it is a part of the long lane. */
const NAMES = ['isp-outage-1', 'own-fault-1'];

let causes: CausesProduct;
beforeAll(async () => {
  causes = await openCausesProduct();
});
afterAll(async () => await causes?.close());

test('the true cause is first, and "unknown" where there is none', async () => {
  const scenarios = scenariosOf(1).filter(({ name }) => NAMES.includes(name));
  const { scored } = score(await playCorpus(causes, scenarios));
  const told = scored.map(({ outcome, verdict, first }) => [outcome.scenario.name, verdict, first?.kind]);
  expect(told).toEqual([
    ['isp-outage-1', 'right', 'network'],
    ['own-fault-1', 'right', 'unknown'],
  ]);
}, 60_000);
