import { describe, expect, it } from 'vitest';
import { createBudget } from './budget.ts';

const MIB = 1024 * 1024;

describe('the room for requests that wait', () => {
  it('gives one tenant half of it, and the other half to the others', () => {
    const budget = createBudget(4 * MIB);
    const held = Array.from({ length: 16 }, () => budget.hold('flood'));
    for (const one of held) one.grow(4 * MIB);
    expect(() => budget.hold('flood').grow(1)).toThrow('of this tenant');
    budget.hold('quiet').grow(4 * MIB);
    for (let i = 0; i < 15; i += 1) budget.hold('third').grow(4 * MIB);
    expect(() => budget.hold('fourth').grow(1)).toThrow('no room');
    held[0]?.release();
    budget.hold('fourth').grow(4 * MIB);
  });

  it('is given back once, whole', () => {
    const budget = createBudget(MIB);
    const one = budget.hold('a');
    one.grow(10);
    one.grow(5);
    expect(budget.usedBytes()).toBe(15);
    one.release();
    one.release();
    expect(budget.usedBytes()).toBe(0);
  });

  it('bounds the requests of a tenant, however small', () => {
    const budget = createBudget(MIB);
    const held = Array.from({ length: 4096 }, () => budget.hold('many'));
    expect(() => budget.hold('many')).toThrow('Too many requests');
    budget.hold('another');
    held[0]?.release();
    budget.hold('many');
  });

  it('fits the largest requests, whatever their size is set to', () => {
    const budget = createBudget(64 * MIB);
    for (let i = 0; i < 4; i += 1) budget.hold('a').grow(64 * MIB);
    expect(() => budget.hold('a').grow(64 * MIB)).toThrow('of this tenant');
  });
});
