import type { SpanQuestion } from '../reader.ts';
import { filterSql, type SpanCondition } from './filter-sql.ts';
import { NO_PARENT } from './place-sql.ts';

/**
 * Nearly all that is read counts: to look for what does not costs more than it spares. So does handing the index of each part to a thread of its
 * own, where only the order of the table is asked (1 ms of 18).
 */
const ALL_ROWS = ['optimize_move_to_prewhere = 0', 'max_threads_for_indexes = 1'];

type RootsQuestion = SpanQuestion & { rootsOnly?: boolean | undefined };

/** The condition of a filter, or of the roots among the spans that match it. */
export function spansSql({ filter, window, rootsOnly }: RootsQuestion): SpanCondition {
  const condition = filterSql(filter, window);
  if (rootsOnly) condition.where += ` AND parent_id = ${NO_PARENT}`;
  return condition;
}

/** The condition of a question that all which match count for, or all roots among them. */
export function allSpansSql(question: RootsQuestion): SpanCondition {
  const condition = spansSql(question);
  if (condition.byKey && !question.rootsOnly) condition.settings = ALL_ROWS;
  return condition;
}
