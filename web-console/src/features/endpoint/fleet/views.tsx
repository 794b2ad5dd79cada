import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../../ui/controls.tsx';
import { Pop } from '../../../ui/floating.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { parseSearch, stringifySearch } from '../../../ui/search-params.ts';
import { readStoredJson, writeStored } from '../../../ui/stored.ts';
import { decodeFleetSearch, type FleetSearch } from './fleet-search.ts';

interface View {
  name: string;
  /** The page's query, as in the URL. */
  query: string;
}

const KEY = 'svc.fleet.views';
const MAX_VIEWS = 30;

const BUILT_IN: readonly View[] = [
  { name: 'Worst first', query: '' },
  { name: 'Weak Wi-Fi first', query: '?connection=wifi&sort=wifi_rssi_dbm' },
  { name: 'Longest silent first', query: '?verdict=no_contact&sort=last_contact_at' },
  { name: 'Slowest sessions first', query: '?sort=-worst_session_ms' },
];

function readViews(): View[] {
  const stored = readStoredJson(KEY);
  if (!Array.isArray(stored)) return [];
  return stored
    .filter((view): view is View => typeof view?.name === 'string' && typeof view?.query === 'string')
    .slice(0, MAX_VIEWS);
}

const queryOf = (search: FleetSearch): string => stringifySearch({ ...search, page: undefined });
const searchOf = (query: string): FleetSearch => decodeFleetSearch(parseSearch(query));

/** Views kept in this browser: a name for a filter, sort and set of columns. The link itself serves for sharing. */
export function Views({ search }: { search: FleetSearch }) {
  const [saved, setSaved] = useState(readViews);
  const [name, setName] = useState('');
  const query = queryOf(search);
  const current = [...BUILT_IN, ...saved].find((view) => queryOf(searchOf(view.query)) === query);
  const keep = (views: View[]): void => {
    setSaved(views);
    writeStored(KEY, JSON.stringify(views));
  };
  return (
    <Pop
      width={260}
      position="bottom-end"
      target={(open, toggle) => (
        <button type="button" className="btn quiet" aria-expanded={open} onClick={toggle}>
          <Icon name="star" size={14} />
          View: {current?.name ?? 'custom'}
          <Icon name="down" size={12} />
        </button>
      )}
    >
      {(close) => (
        <>
          <ul className="list">
            {[...BUILT_IN, ...saved].map((view) => (
              <li key={view.name} className="flush">
                <Link
                  to="/fleet"
                  className="opt grow"
                  search={searchOf(view.query)}
                  aria-current={view === current ? 'true' : undefined}
                  onClick={close}
                >
                  {view.name}
                </Link>
                {saved.includes(view) ? (
                  <button
                    type="button"
                    className="btn plain icon"
                    aria-label={`Delete view ${view.name}`}
                    onClick={() => keep(saved.filter((other) => other !== view))}
                  >
                    <Icon name="cross" size={12} />
                  </button>
                ) : null}
              </li>
            ))}
          </ul>
          {current ? null : (
            <form
              className="popfoot gap"
              onSubmit={(event) => {
                event.preventDefault();
                const trimmed = name.trim();
                if (trimmed === '') return;
                keep([...saved.filter((view) => view.name !== trimmed), { name: trimmed, query }].slice(-MAX_VIEWS));
                setName('');
                close();
              }}
            >
              <input
                className="input"
                aria-label="Name of this view"
                placeholder="Name this view"
                maxLength={40}
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
              />
              <Button type="submit">Save</Button>
            </form>
          )}
        </>
      )}
    </Pop>
  );
}
