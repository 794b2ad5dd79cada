import { ERROR_CODES, type ErrorCode } from '@svc/contracts/error-codes';
import { expect, it } from 'vitest';
import { ApiError } from '../../api.ts';
import { isAway, isPassing, mayRetry, REPEATS } from './retry-rules.ts';

const codesOf = (rule: (error: ApiError) => boolean, message = 'x') =>
  ([...ERROR_CODES, 'network'] as (ErrorCode | 'network')[]).filter((code) => rule(new ApiError(code, message)));

it('decides by the code of an error alone, whatever its words are', () => {
  for (const words of ['', 'Narrow the time range.', 'Choose a larger step.', 'Der Zeitraum ist zu groß.'])
    expect(codesOf(isAway, words)).toEqual(['rate_limited', 'writer_unavailable', 'unavailable', 'network']);
});

it('repeats a query over its limits or a fault of the service a few times, and a refusal never', () => {
  const passing = codesOf(isPassing);
  expect(passing).toEqual(['rate_limited', 'writer_unavailable', 'query_limit', 'unavailable', 'internal', 'network']);
  expect(codesOf((error) => mayRetry(0, error))).toEqual(passing);
  expect(codesOf((error) => mayRetry(REPEATS, error))).toEqual(codesOf(isAway));
});
