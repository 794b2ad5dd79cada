import type { OutboxCounts, OutboxMessage } from '@svc/contracts/notify/outbox';
import { useQuery } from '@tanstack/react-query';
import { useSearchChange } from '../../../ui/address/use-search-change.ts';
import { Button, Segments } from '../../../ui/controls/controls.tsx';
import { connectorsQuery } from '../../../ui/notify/notify-queries.ts';
import { formatCount } from '../../../ui/words/format.ts';
import type { OutboxSearch } from './outbox-search.ts';
import { groupOf, STATE_GROUPS, STATE_NAMES, type StateGroup } from './outbox-words.ts';
import { MESSAGE_STATE_NAMES } from './state-names.ts';

interface FiltersProps {
  search: OutboxSearch;
  counts: OutboxCounts | undefined;
  /** The one that the address names, where a message of it is shown. */
  incident: OutboxMessage['incident'] | undefined;
}

const GROUPS: readonly [StateGroup, string][] = [
  ['waiting', 'Waiting'],
  ['dead', 'Dead'],
  ['held_back', 'Held back'],
  ['sent', 'Sent'],
];

/** What the outbox is narrowed by; each state is one of the list, those that are looked at most have a button. */
export function OutboxFilters({ search, counts, incident }: FiltersProps) {
  const change = useSearchChange<OutboxSearch>();
  const connectors = useQuery(connectorsQuery).data?.items ?? [];
  const exact = search.state?.length === 1 ? search.state[0] : undefined;
  const known = connectors.some(({ id }) => id === search.connector);
  return (
    <div className="obx-filters">
      <Segments
        label="States"
        options={[
          { value: 'all', label: 'All' },
          ...GROUPS.map(([value, name]) => ({ value, label: counts ? `${name} ${formatCount(counts[value])}` : name })),
        ]}
        value={groupOf(search.state) ?? 'other'}
        onChange={(group) =>
          change({ state: Object.hasOwn(STATE_GROUPS, group) ? [...STATE_GROUPS[group as StateGroup]] : undefined })
        }
      />
      <label className="row s">
        <span className="mute">State</span>
        <select
          className="select"
          value={exact ?? ''}
          onChange={(event) => {
            const state = MESSAGE_STATE_NAMES.find((name) => name === event.currentTarget.value);
            change({ state: state && [state] });
          }}
        >
          <option value="">any</option>
          {MESSAGE_STATE_NAMES.map((state) => (
            <option key={state} value={state}>
              {STATE_NAMES[state]}
            </option>
          ))}
        </select>
      </label>
      <label className="row s">
        <span className="mute">Connector</span>
        <select
          className="select"
          value={search.connector ?? ''}
          onChange={(event) => change({ connector: event.currentTarget.value || undefined })}
        >
          <option value="">any</option>
          {connectors.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
          {search.connector && !known ? <option value={search.connector}>one that is deleted</option> : null}
        </select>
      </label>
      {search.incident ? (
        <Button look="quiet" icon="cross" onClick={() => change({ incident: undefined })}>
          {incident ? `Incident ${incident.number} only` : 'One incident only'}
        </Button>
      ) : null}
    </div>
  );
}
