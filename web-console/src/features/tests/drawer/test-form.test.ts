import { TestSpec } from '@svc/contracts/tests/test';
import { expect, it } from 'vitest';
import { httpsTest } from '../../../testing/test-examples.ts';
import { readLabels } from '../../../ui/words/labels.ts';
import { cloneOf, EMPTY_FORM, formOf, missingOf, readSeconds, toSpec, withTarget, withType } from './test-form.ts';

it('takes type and name from the target until somebody chooses them', () => {
  const typed = { ...EMPTY_FORM, ...withTarget(EMPTY_FORM, 'mail.example:465') };
  expect([typed.type, typed.name]).toEqual(['tcp', 'mail.example:465']);
  const chosen = { ...typed, ...withType(typed, 'icmp') };
  expect([chosen.target, chosen.name]).toEqual(['mail.example', 'mail.example']);
  expect(withTarget(chosen, 'https://shop.example').type).toBe('icmp');
  expect(withTarget({ ...typed, name: 'Mail', isNamed: true }, 'b.example:25').name).toBeUndefined();
});

it('sends a target alone as a whole test with the schema’s defaults', () => {
  const form = { ...EMPTY_FORM, ...withTarget(EMPTY_FORM, 'https://shop.example/returns') };
  expect(missingOf(form)).toBeUndefined();
  const spec = TestSpec.parse(toSpec(form));
  expect(spec).toMatchObject({ type: 'https', target: 'https://shop.example/returns', interval_seconds: 60, fail_when: 1 });
  expect(spec.runners).toEqual({ mode: 'any' });
});

it('gives back a test as it was', () => {
  const { id, version, created_by, created_at, updated_at, ...spec } = httpsTest('Checkout', {
    ...{ interval_seconds: 120, timeout_seconds: 30, labels: { team: 'shop', critical: '' }, failing_after: 5, site: 'Berlin' },
    ...{ runners: { mode: 'labels', labels: { site: 'berlin' } }, fail_when: 2 },
  });
  const test = { id, version, created_by, created_at, updated_at, ...TestSpec.parse(spec) };
  expect(TestSpec.parse(toSpec(formOf(test)))).toEqual(TestSpec.parse(spec));
  expect(cloneOf(test).name).toBe('Checkout (copy)');
});

it('reads lengths of time as people write them', () => {
  expect(['60', '60 s', '2 min', '1h', 'soon', '5 weeks', ''].map(readSeconds)).toEqual([
    60,
    60,
    120,
    3600,
    undefined,
    undefined,
    undefined,
  ]);
  expect(readLabels('team=shop, critical,')).toEqual({ team: 'shop', critical: '' });
});

it('says the first thing that is missing', () => {
  expect(missingOf(EMPTY_FORM)).toBe('Type a target');
  const form = { ...EMPTY_FORM, target: 'a.example', name: 'a', mode: 'named' as const };
  expect(missingOf(form)).toBe('Choose a runner');
  expect(missingOf({ ...form, runners: ['built-in'], every: 'soon' })).toBe('Every 1 s to 24 h');
});
