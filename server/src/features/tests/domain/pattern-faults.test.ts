import { TestSpec, type TestSpecInput } from '@svc/contracts/tests/test';
import { checkExpression, checkJsonPath } from '@svc/runner/check-patterns';
import { expect, it } from 'vitest';
import { findPatternFaults } from './pattern-faults.ts';

const find = (input: Omit<TestSpecInput, 'name'>): string[] =>
  findPatternFaults(TestSpec.parse({ name: 'a', ...input }), { expression: checkExpression, jsonPath: checkJsonPath }).map(
    ({ path, message }) => `${path}: ${message}`,
  );

it('says which field cannot be read, and from which character on', () => {
  const http = {
    body_matches: 'a(b',
    json: [
      { path: '$.a[0]', matches: '^ok$' },
      { path: '$.a..b', matches: '*x' },
    ],
    headers: [{ name: 'server', matches: '(?=x)' }],
  };
  expect(find({ type: 'https', target: 'https://shop.example/', params: { assertions: http } })).toEqual([
    expect.stringMatching(/^params\.assertions\.body_matches: This is no expression .* at its end, after character 3\.$/),
    expect.stringMatching(/^params\.assertions\.json\.1\.path: This is no path .* from character 4 on\.$/),
    expect.stringMatching(/^params\.assertions\.json\.1\.matches: This is no expression .* at character 1\.$/),
    expect.stringMatching(/^params\.assertions\.headers\.0\.matches: This is no expression .* at character 1\.$/),
  ]);
});

it.each([
  { type: 'tcp', target: 'mail.example:25', params: { assertions: { expect_matches: '[' } } },
  { type: 'udp', target: 'mail.example:25', params: { send: 'x', assertions: { expect_matches: '[' } } },
  { type: 'dns', target: 'shop.example', params: { assertions: { answers_match: '[' } } },
  {
    type: 'browser',
    target: 'https://shop.example/',
    params: { steps: [{ do: 'expect_url', matches: '[' }] },
  },
] as Omit<TestSpecInput, 'name'>[])('reads those of $type too', (input) => {
  expect(find(input)).toHaveLength(1);
});
