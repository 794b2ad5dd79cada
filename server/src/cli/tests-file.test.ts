import { describe, expect, it } from 'vitest';
import { readTestFile, writeTestFile } from './tests-file.ts';

const faultsOf = (text: string) => {
  const read = readTestFile(text);
  return 'faults' in read ? read.faults.map(({ line, column, message }) => `${line}:${column} ${message}`) : [];
};

describe('faults point at line and column', () => {
  it.each([
    ['broken YAML', 'tests:\n  - name: "a\n', /^3:1 /],
    ['no list', 'name: a\n', /^1:1 the file needs “tests:”/],
    ['a missing target', 'tests:\n  - name: a\n    type: tcp\n', /^2:5 target: /],
    ['an unknown type', 'tests:\n  - name: a\n    type: smtp\n    target: x\n', /^3:11 type: /],
    [
      'a wrong value deep down',
      'tests:\n  - name: a\n    type: https\n    target: https://a.example\n    params:\n      assertions:\n        status: [200, "9xx"]\n',
      /^7:18 /,
    ],
    [
      'a field that is not there',
      'tests:\n  - name: a\n    type: dns\n    target: a.example\n    intervall: 5\n',
      /^5:5 there is no field “intervall” here$/,
    ],
    [
      'a name that is taken',
      'tests:\n  - { name: A, type: dns, target: a.example }\n  - { name: a, type: dns, target: b.example }\n',
      /^3:13 this name is taken by the test in line 2$/,
    ],
    ['a key that is there twice', 'tests:\n  - name: a\n    name: b\n', /^3:5 /],
  ])('%s', (...[, text, wanted]) => {
    expect(
      faultsOf(text).some((fault) => wanted.test(fault)),
      faultsOf(text).join('\n'),
    ).toBe(true);
  });

  it('takes no document that grows without end', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\ntests: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n`;
    expect(() => readTestFile(bomb)).toThrow(/alias/i);
  });
});

it('writes what it reads, by name and without what is so anyway', () => {
  const text = `tests:
  - name: DNS
    type: dns
    target: a.example
    params:
      record: MX
  - name: Shop
    type: https
    target: https://shop.example/
    interval_seconds: 30
    params:
      headers:
        - name: authorization
          value: Bearer \${secret:shop}
      assertions:
        total_ms: 2000
    labels:
      team: web
`;
  const read = readTestFile(text);
  if ('faults' in read) throw new Error('it is whole');
  expect(writeTestFile(read.tests.toReversed())).toBe(text);
});
