import type { Scatter } from '../../api-types.ts';
import { Ghost } from '../../ui/placeholders/empty-state.tsx';
import { formatCount, formatMs, formatPercent, formatSpan } from '../../ui/words/format.ts';
import { countFilters, type TracesSearch } from './traces-search.ts';

const nounOf = (count: number, of: Scatter['of']): string => {
  const noun = of === 'roots' ? 'request' : 'span';
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
};

/** How it stands, in a sentence: how many, how many failed, how long they took. */
export function describeScatter(scatter: Scatter, filtered: boolean): string {
  const { total, errors, of, p50_ms: half, p99_ms: most } = scatter;
  if (total === 0 || half === null || most === null) return filtered ? 'No span in this time matches.' : 'No span in this time.';
  const which = filtered ? ` that ${total === 1 ? 'matches' : 'match'}` : '';
  const some = `${formatCount(errors)} failed (${formatPercent(errors / total)})`;
  const failed = errors === 0 ? 'none failed' : errors === total ? (total === 1 ? 'and it failed' : 'all failed') : some;
  return `${nounOf(total, of)}${which}, ${failed}. Half took up to ${formatMs(half)}, one in a hundred ${formatMs(most)} or more.`;
}

export function TracesHead({ scatter, search }: { scatter: Scatter | undefined; search: TracesSearch }) {
  const now = Date.now();
  return (
    <div className="grow">
      <h1>{scatter ? describeScatter(scatter, countFilters(search) > 0) : <Ghost width={420} says="Traces, loading" />}</h1>
      <p className="soft">
        {scatter ? (
          <>
            {formatSpan(scatter.from, scatter.to, now)}
            {scatter.of === 'roots' ? ', by the first span of each trace' : ', by the spans themselves'}
          </>
        ) : (
          <Ghost width={240} />
        )}
      </p>
    </div>
  );
}
