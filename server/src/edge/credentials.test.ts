import { describe, expect, it } from 'vitest';
import { parseTenantId } from '#kernel';
import { createKnownCredentials, createWrongCredentials, readAuthorization } from './credentials.ts';

const [loud, quiet] = [parseTenantId('loud'), parseTenantId('quiet')];

describe('known credentials', () => {
  it('are bounded, and the tenant that has most gives up its oldest', () => {
    const known = createKnownCredentials(10);
    known.keep('mine', { tenant: quiet, id: 'ann' });
    for (let i = 0; i < 1000; i += 1) known.keep(`theirs ${i}`, { tenant: loud, id: 'eve' });
    expect(known.find('mine')).toEqual({ tenant: quiet, id: 'ann' });
    expect(known.find('theirs 990')).toBeUndefined();
    expect(known.find('theirs 999')).toEqual({ tenant: loud, id: 'eve' });
    known.keep('mine too', { tenant: quiet, id: 'bob' });
    expect([known.find('mine'), known.find('theirs 991')]).toEqual([{ tenant: quiet, id: 'ann' }, undefined]);
    known.drop('mine');
    expect(known.find('mine')).toBeUndefined();
  });

  it('are one however their header is written', () => {
    expect(new Set(['Bearer x', 'bearer x', 'BEARER x y'].map(readAuthorization)).size).toBe(1);
  });
});

describe('wrong credentials', () => {
  it('are remembered for ten seconds, and no more than 20,000 of them', () => {
    let now = 0;
    const wrong = createWrongCredentials(() => now);
    wrong.add('a');
    expect([wrong.has('a'), wrong.has('b')]).toEqual([true, false]);
    now = 10_000;
    expect(wrong.has('a')).toBe(false);
    for (let i = 0; i < 20_001; i += 1) wrong.add(String(i));
    expect([wrong.has('0'), wrong.has('1'), wrong.has('20000')]).toEqual([false, true, true]);
  });
});
