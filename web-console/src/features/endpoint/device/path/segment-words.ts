import type { JudgedMeasure } from '@svc/contracts/judged/measures';
import type { SegmentFact, VerdictFacts } from '@svc/contracts/judged/read-verdict';
import { limitWords, measureWords } from '@svc/contracts/judged/sentence';
import { formatMs, formatPercent } from '../../../../ui/words/format.ts';

export type Segment = 'local' | 'isp-edge' | 'beyond';
export const SEGMENT_WORDS: Readonly<Record<Segment, string>> = { local: 'Local', 'isp-edge': 'ISP edge', beyond: 'Beyond' };
export const SEGMENT_ORDER: readonly Segment[] = ['local', 'isp-edge', 'beyond'];

/** What decided against a segment, short enough for a line of the drawing: "3.1 % lost", "133 ms", "session 2.3 s". */
function shortWords(decided: JudgedMeasure): string {
  switch (decided.measure) {
    case 'gateway_loss_ratio':
    case 'isp_loss_ratio':
      return `${formatPercent(decided.value)} lost`;
    case 'gateway_answers':
      return 'no answer';
    case 'sessions_failed':
      return 'sessions fail';
    case 'session_total_ms':
      return `session ${measureWords(decided)}`;
    default:
      return measureWords(decided);
  }
}

export interface BlamedWords {
  segment: Segment;
  value: string;
  limit: string;
}

/** The words of the segment at fault; undefined where none is, or its measure is not known. */
export function blamedWords(segments: VerdictFacts['segments']): BlamedWords | undefined {
  const found = Object.values(segments).find((one) => one.decided !== null);
  if (!found?.decided) return undefined;
  return { segment: found.segment, value: shortWords(found.decided), limit: limitWords(found.decided) };
}

/** What a segment was judged by, for its band: "133 ms", "133 ms, 3.1 % lost"; '' where nothing was. */
export function bandWords({ segment, rtt, loss }: SegmentFact): string {
  if (segment === 'beyond') return '';
  const lost = loss && loss.value > 0 ? `${formatPercent(loss.value)} lost` : '';
  return [rtt ? formatMs(rtt.value) : '', lost].filter(Boolean).join(', ');
}
