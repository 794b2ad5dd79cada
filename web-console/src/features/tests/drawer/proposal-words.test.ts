import { expect, test } from 'vitest';
import { fieldLines } from './proposal-words.ts';

test('each field of a proposal begins as those of the form do, what was asked for first', () => {
  const fields = { name: 'inferred', 'params.assertions.body_contains': 'asked', timeout_seconds: 'default' } as const;
  const lines = fieldLines({ fields, reasons: { name: 'Named after its target.' } } as unknown as Parameters<
    typeof fieldLines
  >[0]);
  expect(lines.map(({ word, origin, why }) => [word, origin, why])).toEqual([
    ['Body contains', 'asked', undefined],
    ['Name', 'inferred', 'Named after its target.'],
  ]);
});
