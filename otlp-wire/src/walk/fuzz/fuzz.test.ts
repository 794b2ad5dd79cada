import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXPORT_REQUESTS } from '@svc/contracts/otlp/descriptor';
import { describe, expect, it } from 'vitest';
import type { Signal } from '../index.ts';
import { encodeConforming } from '../test-conforming.ts';
import { makeRequest, seedRandom } from '../test-requests.ts';
import { fuzzSeconds } from './env.ts';
import { compare } from './test-compare.ts';
import { mutate } from './test-mutate.ts';

const tenant = 'acme';
/** Corpus and random requests are made for this time. */
const nowMs = Date.UTC(2026, 10, 21);

describe.each<Signal>(['traces', 'logs', 'metrics'])('fuzzing %s against a conforming parser', (signal) => {
  it('agrees on the corpus, to the sentence', () => {
    const corpus = readFileSync(join(import.meta.dirname, '..', 'fixtures', `corpus-${signal}.txt`), 'utf8')
      .trim()
      .split('\n');
    expect(corpus.length).toBeGreaterThan(20);
    for (const line of corpus) {
      const [hex, outcome] = line.split('\t') as [string, string];
      expect(compare(signal, Buffer.from(hex, 'hex'), { tenant, nowMs }), hex).toBe(outcome);
    }
  });

  it('agrees on random requests, whole and mutated', { timeout: fuzzSeconds * 1000 + 20_000 }, () => {
    const until = performance.now() + fuzzSeconds * 1000;
    const outcomes = new Map<string, number>();
    for (let seed = Math.floor(Math.random() * 2 ** 31); performance.now() < until; seed += 1) {
      const random = seedRandom(seed);
      const whole = encodeConforming(signal, makeRequest(signal, random, { nowMs, ...(random.chance(0.5) ? { tenant } : {}) }));
      expect(compare(signal, whole, { tenant, nowMs }), `seed ${seed}`).toBe('accepted');
      for (let round = 0; round < 20; round += 1) {
        const bytes = mutate(whole, EXPORT_REQUESTS[signal], random);
        try {
          const outcome = compare(signal, bytes, { tenant, nowMs });
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        } catch (error) {
          // One line for the corpus, once it is understood.
          throw new Error(`${(error as Error).message} (seed ${seed}, round ${round}): ${bytes.toString('hex')}`, {
            cause: error,
          });
        }
      }
    }
    // Neither all accepted nor all refused: the mutations reach both.
    expect(outcomes.get('accepted')).toBeGreaterThan(0);
    expect(outcomes.size).toBeGreaterThan(5);
  });
});
