import type { JudgedVerdict } from '@svc/contracts/judged/read-verdict';
import { readVerdict } from '@svc/contracts/judged/read-verdict';
import { composeSentence, sentenceText, utcWords } from '@svc/contracts/judged/sentence';
import type { Verdict } from './attribute.ts';

/** A verdict in codes, numbers and the instant since when it holds (Unix milliseconds): all that a sentence about it is made of. */
export const judgedVerdict = ({ cause, layers }: Verdict, sinceMs: number | undefined): JudgedVerdict => ({
  cause,
  since: sinceMs === undefined ? null : new Date(sinceMs).toISOString(),
  measures: layers.flatMap((state) => state.measures),
  layers,
});

/** One plain sentence for readers of any zone: number, unit, since when in UTC, and what is fine. */
export const summarize = (verdict: Verdict, sinceMs?: number): string =>
  sentenceText(composeSentence(readVerdict(judgedVerdict(verdict, sinceMs))), utcWords);
