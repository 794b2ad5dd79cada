import type { JudgedVerdict } from '@svc/contracts/judged/read-verdict';
import { readVerdict } from '@svc/contracts/judged/read-verdict';
import { composeSentence, sentenceText, utcWords } from '@svc/contracts/judged/sentence';
import type { Verdict } from './attribute.ts';

/** A verdict in codes, numbers and the instant since when it holds (Unix milliseconds): all that a sentence about it is made of. */
export const judgedVerdict = (verdict: Verdict, sinceMs: number | undefined, flips = 0): Required<JudgedVerdict> => ({
  cause: verdict.cause,
  since: sinceMs === undefined ? null : new Date(sinceMs).toISOString(),
  measures: verdict.layers.flatMap((state) => state.measures),
  layers: verdict.layers,
  fault: verdict.fault,
  also: verdict.also,
  coverage: verdict.coverage,
  flips,
});

/** One plain sentence for readers of any zone: number, unit, since when in UTC, and what is fine. */
export const summarize = (verdict: Verdict, sinceMs?: number, flips = 0): string =>
  sentenceText(composeSentence(readVerdict(judgedVerdict(verdict, sinceMs, flips))), utcWords);
