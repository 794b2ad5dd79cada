import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import type { MetricName } from '../../api-types.ts';
import { SearchField } from '../../ui/controls/controls.tsx';
import { Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { formatCount, plural } from '../../ui/words/format.ts';

const LIMIT = 100;
const KIND_WORDS: Readonly<Record<MetricName['kind'], string>> = {
  gauge: 'gauge',
  sum: 'counter',
  updown: 'sum',
  delta: 'delta',
  histogram: 'histogram',
  delta_histogram: 'histogram',
  exp_histogram: 'histogram',
  delta_exp_histogram: 'histogram',
  summary: 'summary',
};

export const kindWord = (kind: MetricName['kind']): string => KIND_WORDS[kind];

interface PickerProps {
  window: { from: string; to: string };
  chosen?: string | undefined;
  onChoose: (metric: string) => void;
}

/** Metrics by name, searched by words of name and description. */
export function MetricPicker({ window, chosen, onChoose }: PickerProps) {
  const [search, setSearch] = useState('');
  const names = useQuery({
    queryKey: ['metrics.names', search, window],
    queryFn: ({ signal }) => ask('metrics.names', { ...window, limit: LIMIT, ...(search ? { search } : {}) }, signal),
    placeholderData: keepPreviousData,
  });
  return (
    <div className="mt-picker">
      <SearchField label="Search metrics" placeholder="Name or description" value={search} onChange={setSearch} />
      {names.error && !names.data ? <Failure error={names.error} retry={() => names.refetch()} /> : null}
      <ul className="list" aria-label="Metrics">
        {names.data ? null : <Ghost width="70%" />}
        {names.data?.items.map((item) => (
          <li key={`${item.metric} ${item.kind}`} className="flush">
            <button
              type="button"
              className="opt mt-name"
              aria-current={item.metric === chosen}
              title={item.description || undefined}
              onClick={() => onChoose(item.metric)}
            >
              <span className="mt-cut">
                <b>{item.metric}</b>
                {item.description ? <span className="mute"> {item.description}</span> : null}
              </span>
              <span className="tag">{kindWord(item.kind)}</span>
              <span className="num mute" title={plural(item.series, 'series').replace('seriess', 'series')}>
                {formatCount(item.series)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {names.data?.items.length === 0 ? <p className="mute s">No metric of this time has these words.</p> : null}
      {names.data?.more ? <p className="mute s">More than {LIMIT}: add a word.</p> : null}
    </div>
  );
}
