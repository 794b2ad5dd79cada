import { expect, it } from 'vitest';
import type { Observed } from './device.ts';
import type { Outcome } from './run-situation.ts';
import { brokenPromises, score } from './score.ts';
import type { Situation } from './situations/situation.ts';

const loss: Situation = {
  name: 'loss',
  truth: 'The line loses.',
  hurts: true,
  expected: { cause: 'isp', kind: 'isp_loss', confidence: [0.6, 1] },
  play: async () => undefined,
};
const well: Situation = { ...loss, name: 'well', hurts: false, expected: { cause: 'none', kind: null, confidence: [0.6, 1] } };
const said = (change: Partial<Observed>): Observed => ({
  cause: 'none',
  kind: null,
  also: null,
  confidence: 0.9,
  actor: null,
  isCovered: true,
  measured: '',
  flips: 0,
  sentence: '',
  ...change,
});
const outcome = (situation: Situation, change: Partial<Observed>): Outcome => ({ situation, observed: said(change), seconds: 1 });

it('takes what is true for right, and counts how sure it was', () => {
  const result = score([outcome(loss, { cause: 'isp', kind: 'isp_loss', confidence: 0.8 }), outcome(well, { confidence: 1 })]);
  expect(result).toMatchObject({ causeShare: 1, kindShare: 1, surelyWrong: [], falselyHealthy: [] });
  expect(result.brier).toBeCloseTo(0.02);
  expect(brokenPromises(result)).toEqual([]);
});

it('names what is surely wrong, the fault as well as the cause', () => {
  const result = score([
    outcome(loss, { cause: 'isp', kind: 'isp_delay', confidence: 0.71 }),
    outcome(loss, { cause: 'network', kind: 'path_loss', confidence: 0.7 }),
  ]);
  expect(result).toMatchObject({ causeShare: 0.5, kindShare: 0 });
  expect(result.surelyWrong.map((one) => one.observed?.kind)).toEqual(['isp_delay']);
});

it('calls nothing healthy that hurts, is off or was not measured', () => {
  const offs = [
    loss,
    { ...well, partial: true as const },
    { ...well, expected: { ...well.expected, kind: 'dns_slow' as const } },
  ];
  expect(score(offs.map((one) => outcome(one, {}))).falselyHealthy).toHaveLength(3);
  expect(score(offs.map((one) => outcome(one, { isCovered: false }))).falselyHealthy).toEqual([]);
  expect(score([outcome(well, {})]).falselyHealthy).toEqual([]);
  const either = { ...well, expected: { ...well.expected, kind: [null, 'dns_failing'] as const } };
  expect(score([outcome(either, {})]).falselyHealthy).toEqual([]);
});

it('takes one of several names of the truth', () => {
  const either = { ...loss, expected: { ...loss.expected, kind: ['isp_loss', 'queueing'] as const } };
  expect(score([outcome(either, { cause: 'isp', kind: 'queueing' })]).kindShare).toBe(1);
});

it('counts a situation that could not be played as wrong, never as healthy', () => {
  const result = score([{ situation: well, observed: undefined, error: 'no lab', seconds: 0 }]);
  expect(result).toMatchObject({ causeShare: 0, falselyHealthy: [] });
});
