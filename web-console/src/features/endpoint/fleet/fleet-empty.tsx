import './first-run/first-run.css';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../../api.ts';
import { POLL_MS } from '../../../queries.ts';
import { Icon } from '../../../ui/controls/icons.tsx';
import { EmptyState } from '../../../ui/placeholders/empty-state.tsx';
import { describeFilters } from './filter-words.ts';
import { EnrolPanel } from './first-run/enrol-panel.tsx';
import { WaitingCard } from './first-run/waiting-card.tsx';
import { activeFilters, type FleetSearch } from './fleet-search.ts';

/** The consumer of results is not wired: that is not an empty fleet. */
export function NotWired() {
  return (
    <EmptyState icon="plug" title="Not wired">
      <p>
        The collector is not running, so no device can report. Start the server with the role “consume” in SVC_ROLES, or look at
        its log for why it stopped.
      </p>
    </EmptyState>
  );
}

/** Devices exist, but none passes the filters. */
export function FilteredOut({ search, onClear }: { search: FleetSearch; onClear: () => void }) {
  const count = activeFilters(search).length;
  return (
    <EmptyState icon="lines" title={`No device matches ${describeFilters(search)}`}>
      <p>
        <button type="button" className="linkish" onClick={onClear}>
          Clear {count === 1 ? 'the filter' : `${count} filters`}
        </button>
      </p>
    </EmptyState>
  );
}

/** No device yet: the command to copy beside a live view of what has happened so far. */
export function NoDeviceYet({ mayWrite }: { mayWrite: boolean }) {
  const firstRun = useQuery({
    queryKey: ['fleet.firstRun'],
    queryFn: ({ signal }) => ask('fleet.firstRun', {}, signal),
    refetchInterval: POLL_MS / 4,
  });
  return (
    <div className="wrap">
      <header className="eh">
        <h1>No device yet: enrol the first one.</h1>
        <p className="soft">
          {firstRun.data && firstRun.data.trace_targets.length + firstRun.data.session_targets.length === 0
            ? 'Devices will measure Wi-Fi and their gateway. Nothing outside is contacted until you choose what to trace.'
            : 'Devices will measure Wi-Fi, their gateway and the way to what you chose.'}
        </p>
      </header>
      <div className="grid2">
        <section>
          <h2>Run this on the device</h2>
          {mayWrite ? (
            <EnrolPanel look="primary" />
          ) : (
            <p className="soft row">
              <Icon name="lock" size={14} /> Your role cannot enrol devices. An administrator or IT administrator can.
            </p>
          )}
        </section>
        <WaitingCard devices={firstRun.data?.devices ?? 0} reporting={firstRun.data?.devices_reporting ?? 0} judged={0} />
      </div>
    </div>
  );
}
