import { Link } from '@tanstack/react-router';
import { Button } from '../../../ui/controls/controls.tsx';
import { Icon } from '../../../ui/controls/icons.tsx';
import { EmptyState } from '../../../ui/placeholders/empty-state.tsx';
import { describeFilters } from './filter-words.ts';
import { activeFilters, type TestsSearch } from './tests-search.ts';

/** Tests exist, but none passes the filters. */
export function FilteredOut({ search, onClear }: { search: TestsSearch; onClear: () => void }) {
  const count = activeFilters(search).length;
  return (
    <EmptyState icon="target" title={`No test matches ${describeFilters(search)}`}>
      <p>
        <button type="button" className="linkish" onClick={onClear}>
          Clear {count === 1 ? 'the filter' : `${count} filters`}
        </button>
      </p>
    </EmptyState>
  );
}

/** No test yet: what one is, and the one thing to do. */
export function NoTestYet({ mayWrite, onCreate }: { mayWrite: boolean; onCreate: (drawer: 'new' | 'describe') => void }) {
  return (
    <div className="wrap">
      <header className="eh">
        <h1>No test yet: name a target.</h1>
        <p className="soft">
          A test asks a URL, a host or an address again and again, from this server and from runners elsewhere, and says when it
          fails and why. A dry run shows the result before anything is saved.
        </p>
      </header>
      {mayWrite ? (
        <p className="row">
          <Button look="primary" icon="plus" onClick={() => onCreate('new')}>
            New test
          </Button>
          <Button onClick={() => onCreate('describe')}>Describe what to watch</Button>
          <Link to="/unwatched" className="btn quiet">
            Not watched yet
          </Link>
        </p>
      ) : (
        <p className="soft row">
          <Icon name="lock" size={14} /> Your role cannot create and run tests. An administrator or operator can.
        </p>
      )}
    </div>
  );
}
