import { expect, test } from 'vitest';
import type { CardinalityOverflow } from '../../api-types.ts';
import { adviseOn, describeOrigin, describeOverflow, titleOf } from './overflow-words.ts';

const overflow: CardinalityOverflow = {
  ...{ day: '2026-11-23', kind: 'metric_series', bound: 1_000_000, admitted: 1_000_000, folded: 12_345, left_out: 7 },
  ...{ first_at: '2026-11-23T14:02:00.000Z', last_at: '2026-11-23T14:03:00.000Z' },
  metrics: ['a', 'b', 'c', 'd'].map((name) => ({ name, points: 1 })),
  label: { name: 'user.id', values: 900 },
};

test('says which limit was reached, what became of the rest, whose it is and what to do', () => {
  expect(titleOf(overflow)).toMatch(/^New metric series per day: 1.000.000$/);
  expect(describeOverflow(overflow)).toMatch(
    /12.345 points of further series went into otel\.metric\.overflow; 7 points .* not kept\./,
  );
  expect(describeOrigin(overflow)).toBe('Metrics with most of them: a, b and c. Label with most values: user.id.');
  expect(adviseOn(overflow)).toMatch(
    /^Aggregate user\.id away: .+ View .+ aggregate_labels .+ Or ask your operator to raise SVC_OTLP_SERIES_PER_DAY\.$/,
  );
});

test('of targets and connections it says under which name they are shown', () => {
  const plain = { ...overflow, metrics: [], label: null, left_out: 0 };
  expect(describeOverflow({ ...plain, kind: 'targets', folded: 1 })).toBe(
    '1 result of further targets is shown under the target “other”.',
  );
  expect(describeOverflow({ ...plain, kind: 'service_map' })).toMatch(/are shown as calls of “other”/);
  expect(describeOrigin(plain)).toBeUndefined();
  for (const kind of ['targets', 'service_map'] as const) expect(adviseOn({ ...plain, kind })).toMatch(/\.$/);
});
