import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { SearchField } from '../../ui/controls/controls.tsx';
import { Icon } from '../../ui/controls/icons.tsx';
import { Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { formatCount } from '../../ui/words/format.ts';
import { type MetricsSearch, matchersOf, toggled } from './metrics-search.ts';

const MAX_VALUES = 100;
const SEARCH_FROM = 12;

interface PanelProps {
  metric: string;
  search: MetricsSearch;
  window: { from: string; to: string };
  onChange: (part: MetricsSearch) => void;
}

/** The labels of a metric: a value filters by a click and is left out by Alt and click; a label groups. */
export function LabelPanel({ metric, search, window, onChange }: PanelProps) {
  // Without the filters, so that a value taken can be exchanged for another.
  const question = { metric, ...window };
  const labels = useQuery({
    queryKey: ['metrics.labels', question],
    queryFn: ({ signal }) => ask('metrics.labels', question, signal),
    placeholderData: keepPreviousData,
  });
  const items = [...(labels.data?.items ?? [])].sort((a, b) => Number(a.values === 1) - Number(b.values === 1));
  return (
    <section className="card mt-labels" aria-label="Labels">
      <header>
        <h2>Labels</h2>
        <span className="xs mute">click keeps, Alt and click leaves out</span>
      </header>
      <p className="xs mute mt-counts">Series are counted by the month, ended ones included.</p>
      {labels.error && !labels.data ? <Failure error={labels.error} retry={() => labels.refetch()} /> : null}
      {labels.data ? null : <Ghost width="80%" />}
      {items.map(({ label, values }) => (
        <Label key={label} label={label} values={values} search={search} question={question} onChange={onChange} />
      ))}
    </section>
  );
}

interface LabelProps extends Pick<PanelProps, 'search' | 'onChange'> {
  label: string;
  values: number;
  question: { metric: string; from: string; to: string };
}

function Label({ label, values, search, question, onChange }: LabelProps) {
  const [open, setOpen] = useState(false);
  const grouped = search.by?.includes(label) ?? false;
  return (
    <div className="mt-label">
      <div className="row">
        <button type="button" className="opt" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name={open ? 'down' : 'right'} size={12} />
          <span className="mt-cut grow" title={label}>
            {label}
          </span>
          <span className="num mute">{formatCount(values)}</span>
        </button>
        <button
          type="button"
          className="mt-by"
          aria-pressed={grouped}
          title={grouped ? `Do not group by ${label}` : `One line for each ${label}`}
          onClick={() => onChange({ by: toggled(search.by, label), agg: search.agg === 'none' ? undefined : search.agg })}
        >
          group
        </button>
      </div>
      {open ? <Values label={label} values={values} search={search} question={question} onChange={onChange} /> : null}
    </div>
  );
}

function Values({ label, values, search, question, onChange }: LabelProps) {
  const [words, setWords] = useState('');
  const others = matchersOf(search.match).filter((matcher) => matcher.label !== label);
  const found = useQuery({
    queryKey: ['metrics.values', question, label, words, others],
    queryFn: ({ signal }) =>
      ask(
        'metrics.values',
        { ...question, label, matchers: others, limit: MAX_VALUES, ...(words ? { search: words } : {}) },
        signal,
      ),
    placeholderData: keepPreviousData,
  });
  return (
    <div className="mt-values">
      {values > SEARCH_FROM ? (
        <SearchField label={`Search values of ${label}`} placeholder="Part of a value" value={words} onChange={setWords} />
      ) : null}
      {found.error ? <Failure error={found.error} /> : null}
      <ul>
        {found.data?.items.map(({ value, series }) => (
          <li key={value}>
            <button
              type="button"
              className="opt"
              title={`${label}=${value}`}
              aria-pressed={search.match?.includes(`${label}=${value}`) ?? false}
              onClick={(event) => onChange({ match: toggled(search.match, `${label}${event.altKey ? '!=' : '='}${value}`) })}
            >
              <span className="mt-cut grow">{value || 'empty'}</span>
              <span className="num mute">{formatCount(series)}</span>
            </button>
          </li>
        ))}
      </ul>
      {found.data?.items.length === 0 ? <p className="mute xs">No value like this.</p> : null}
      {found.data?.more ? <p className="mute xs">More than {MAX_VALUES}: search.</p> : null}
    </div>
  );
}
