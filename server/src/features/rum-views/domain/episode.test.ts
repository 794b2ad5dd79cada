import { describe, expect, it } from 'vitest';
import { type RumKind, type Standing, stepEpisode, TOO_FEW_JUDGEMENTS } from './episode.ts';

const MINUTE_MS = 60_000;
const WORDS = { title: '', summary: '', attributes: {} };
const LETTERS = {
  h: ['healthy', true],
  c: ['user_impact_confirmed', true],
  s: ['synthetic_only_no_user_impact', true],
  b: ['user_only_synthetic_blind', true],
  '.': ['healthy', false],
} as const;
const SHORT: Record<RumKind, string> = { 'rum.user_impact_correlated': 'C', 'rum.user_impact_unseen_by_synthetics': 'B' };

/** Judgements a minute apart; gives what each of them raised, and whether an episode is open after the last. */
function judge(
  text: string,
  minutes: (i: number) => number = (i) => i,
): { raised: string; open: boolean; last: Standing | undefined } {
  let standing: Standing | undefined;
  let raised = '';
  for (const [i, letter] of [...text].entries()) {
    const [verdict, sufficient] = LETTERS[letter as keyof typeof LETTERS];
    const nowMs = minutes(i) * MINUTE_MS;
    const step = stepEpisode(standing, { verdict, sufficient, nowMs });
    standing = step.standing;
    if (step.raises && standing.episode) standing.episode.signalled[step.raises] = { atMs: nowMs, ...WORDS };
    raised += step.raises ? SHORT[step.raises] : '-';
  }
  return { raised, open: standing?.episode != null, last: standing };
}

describe('an episode', () => {
  it.each([
    ['hhcccc', '--C---', true],
    ['hbbbb', '-B---', true],
    // Each kind once, also when it comes back.
    ['ccbbccbb', 'C-B-----', true],
    // Over with enough views and no hurt; then it may signal anew.
    ['cchcc', 'C--C-', true],
    ['ccscc', 'C--C-', true],
    ['cch', 'C--', false],
    // Too few views say nothing: they end it only after an hour.
    ['cc...cc', 'C------', true],
    [`c${'.'.repeat(TOO_FEW_JUDGEMENTS - 1)}c`, `C${'-'.repeat(TOO_FEW_JUDGEMENTS)}`, true],
    [`c${'.'.repeat(TOO_FEW_JUDGEMENTS)}c`, `C${'-'.repeat(TOO_FEW_JUDGEMENTS)}C`, true],
    [`c${'.'.repeat(TOO_FEW_JUDGEMENTS)}`, `C${'-'.repeat(TOO_FEW_JUDGEMENTS)}`, false],
    ['sss', '---', false],
    ['...', '---', false],
  ])('%s raises %s', (text, raised, open) => {
    expect(judge(text)).toMatchObject({ raised, open });
  });

  it('is ended by no clock that jumps, and by no replica that judges again at once', () => {
    expect(judge('c....', (i) => i * 600).open).toBe(true);
    expect(judge('c....c', (i) => -i * 600).raised).toBe('C-----');
    expect(judge(`c${'.'.repeat(TOO_FEW_JUDGEMENTS * 3)}c`, (i) => i / 100).raised.endsWith('-')).toBe(true);
  });

  it('keeps since when a verdict is so, and never since a time to come', () => {
    expect(judge('hhccc').last?.sinceMs).toBe(2 * MINUTE_MS);
    expect(judge('ccc', (i) => -i).last?.sinceMs).toBe(-2 * MINUTE_MS);
  });
});
