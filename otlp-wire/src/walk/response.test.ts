import { expect, it } from 'vitest';
import { emptyResponse, emptyResponseJson, partialSuccess, partialSuccessJson, type Signal } from './index.ts';
import { conformingType, lookupType } from './test-conforming.ts';

const rejectedField = { traces: 'rejected_spans', logs: 'rejected_log_records', metrics: 'rejected_data_points' };

function responseType(signal: Signal) {
  const request = conformingType(signal).fullName.slice(1);
  return lookupType(request.replace(/Request$/, 'Response'));
}

it.each<Signal>(['traces', 'logs', 'metrics'])('a response about %s is what a library makes of the same', (signal) => {
  const type = responseType(signal);
  for (const [rejected, message] of [
    [1, 'a'],
    [300, 'Müll'],
    [70_000, 'x'.repeat(200)],
    [0, 'a warning'],
    [3, ''],
  ] as const) {
    const response = type.fromObject({
      partial_success: {
        ...(rejected > 0 ? { [rejectedField[signal]]: rejected } : {}),
        ...(message === '' ? {} : { error_message: message }),
      },
    });
    expect(partialSuccess(signal, rejected, message).equals(type.encode(response).finish())).toBe(true);
    const camel = rejectedField[signal].replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    expect(JSON.parse(partialSuccessJson(signal, rejected, message).toString())).toEqual({
      partialSuccess: { [camel]: String(rejected), errorMessage: message },
    });
  }
  expect(type.decode(emptyResponse()).toJSON()).toEqual({});
  expect(emptyResponseJson().toString()).toBe('{}');
});
