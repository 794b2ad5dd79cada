import { expect, it } from 'vitest';
import { testsHalf, usersHalf } from '../../../testing/rum-examples.ts';
import { describeHistory, kindOf, placeSpans, type VerdictSpan } from './verdict-spans.ts';

const NOON = Date.parse('2026-11-24T12:00:00Z');
const MINUTE = 60_000;
const span = (from: number, to: number | null, more: Partial<VerdictSpan> = {}): VerdictSpan => ({
  ...{ verdict: 'healthy', sufficient: true, users: usersHalf(), tests: testsHalf(), signalled: false },
  ...{ from: new Date(NOON + from * MINUTE).toISOString(), to: to === null ? null : new Date(NOON + to * MINUTE).toISOString() },
  ...more,
});
const shown = { from: NOON, to: NOON + 60 * MINUTE };

it('cuts the stretches to the shown time; the open one lasts to its end', () => {
  const history = [span(-90, -80), span(-30, 20), span(20, null, { verdict: 'user_impact_confirmed' })];
  expect(placeSpans(history, shown)).toEqual([
    { kind: 'healthy', from: NOON, to: NOON + 20 * MINUTE },
    { kind: 'confirmed', from: NOON + 20 * MINUTE, to: shown.to },
  ]);
});

it('calls healthy from too few views no verdict, but keeps an episode that is open', () => {
  expect(kindOf({ verdict: 'healthy', sufficient: false })).toBe('unjudged');
  expect(kindOf({ verdict: 'user_only_synthetic_blind', sufficient: false })).toBe('blind');
});

it('says in words what the strip draws', () => {
  const history = [span(0, 20), span(20, 30, { verdict: 'synthetic_only_no_user_impact' }), span(30, null)];
  expect(describeHistory(history, shown)).toBe('healthy for 50\u00a0min and tests fail, users fine for 10\u00a0min');
  expect(describeHistory([], shown)).toBe('none');
});
