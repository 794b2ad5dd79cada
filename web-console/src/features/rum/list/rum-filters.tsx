import type { RumOverview } from '@svc/contracts/rum/views';
import { useSearchChange } from '../../../ui/address/use-search-change.ts';
import { SearchField } from '../../../ui/controls/controls.tsx';
import { formatCount } from '../../../ui/words/format.ts';
import type { RumSearch, Shown } from './rum-search.ts';

const CHOICES: readonly { show: Shown | undefined; label: string }[] = [
  { show: undefined, label: 'All' },
  { show: 'hurt', label: 'Users hurt' },
  { show: 'tests', label: 'Tests fail, users fine' },
  { show: 'healthy', label: 'Healthy' },
  { show: 'unjudged', label: 'Too few or none' },
];

/** How many each choice would show; undefined where the server does not count it. */
function countOf(show: Shown | undefined, counts: RumOverview['counts']): number | undefined {
  const { verdicts, states } = counts;
  if (show === undefined) return Object.values(states).reduce((sum, count) => sum + count, 0);
  if (show === 'hurt') return verdicts.user_impact_confirmed + verdicts.user_only_synthetic_blind;
  if (show === 'tests') return verdicts.synthetic_only_no_user_impact;
  return show === 'unjudged' ? states.too_few + states.quiet + states.waiting : undefined;
}

export function RumFilters({ search, counts }: { search: RumSearch; counts: RumOverview['counts'] | undefined }) {
  const change = useSearchChange<RumSearch>();
  return (
    <div className="tools">
      <SearchField
        label="Search apps and hosts"
        placeholder="App or host"
        value={search.search ?? ''}
        onChange={(text) => change({ search: text.trim() === '' ? undefined : text.trim() }, 'typing')}
      />
      <fieldset className="seg rum-shown">
        <legend className="sr">Verdict</legend>
        {CHOICES.map(({ show, label }) => {
          const count = counts && countOf(show, counts);
          return (
            <button key={label} type="button" aria-pressed={search.show === show} onClick={() => change({ show })}>
              {label} {count === undefined ? null : <span className="num mute">{formatCount(count)}</span>}
            </button>
          );
        })}
      </fieldset>
    </div>
  );
}
