import { fuzzSeconds } from '@svc/otlp-wire/fuzz-seconds';
import { expect, test } from 'vitest';
import { createRandom, isAccepted, isAcceptedBySchema, makeBytes } from '../domain/test-beacons.ts';

/** Compared between two looks at the clock. */
const ROUND = 500;

test('what the schema refuses is refused, what it takes is taken, and nothing crashes', {
  timeout: fuzzSeconds * 1000 + 20_000,
}, () => {
  const seen = { inputs: 0, taken: 0 };
  const until = performance.now() + fuzzSeconds * 1000;
  for (let seed = 1 + Math.floor(Math.random() * 2 ** 31); performance.now() < until; seed += 1) {
    const random = createRandom(seed);
    for (let round = 0; round < ROUND; round += 1) {
      const bytes = makeBytes(random);
      const taken = isAccepted(bytes);
      if (taken !== isAcceptedBySchema(bytes)) {
        const text = JSON.stringify(Buffer.from(bytes).toString('latin1'));
        expect.fail(`seed ${seed}, round ${round}: ours ${taken ? 'takes' : 'refuses'} ${text}`);
      }
      seen.inputs += 1;
      if (taken) seen.taken += 1;
    }
  }
  console.info(`${seen.inputs} beacons, of which ${seen.taken} are good`);
  // It makes good ones too, or it would say little.
  expect(seen.taken / seen.inputs).toBeGreaterThan(0.05);
});
