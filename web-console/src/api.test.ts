import { expect, it } from 'vitest';
import { describeInput } from './api.ts';

it('reads a refused input as sentences and leaves other words alone', () => {
  const issues = JSON.stringify([{ path: ['policy', 'traceTargets', 0], message: 'Too long' }, { message: 'Unknown key' }]);
  expect(describeInput(issues)).toBe('policy.traceTargets.0: Too long. Unknown key');
  expect(describeInput('The store did not answer.')).toBe('The store did not answer.');
  expect(describeInput('[not json')).toBe('[not json');
});
