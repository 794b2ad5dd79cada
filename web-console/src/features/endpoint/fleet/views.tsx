import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { ApiError, tell } from '../../../api.ts';
import { readStoredJson, writeStored } from '../../../ui/preferences/stored.ts';
import { type BuiltInView, toSaved, viewsQuery } from '../../../ui/views/saved-views.ts';
import { ViewsMenu } from '../../../ui/views/views-menu.tsx';
import { decodeFleetSearch, type FleetSearch } from './fleet-search.ts';

/** Earlier releases kept views in the browser alone. */
const KEPT = 'svc.fleet.views';

const BUILT_IN: readonly BuiltInView[] = [
  { name: 'Worst first', search: '' },
  { name: 'Weak Wi-Fi first', search: 'connection=wifi&sort=wifi_rssi_dbm' },
  { name: 'Longest silent first', search: 'verdict=no_contact&sort=last_contact_at' },
  { name: 'Slowest sessions first', search: 'sort=-worst_session_ms' },
];

interface KeptView {
  name: string;
  query: string;
}

function readKept(): KeptView[] {
  const stored = readStoredJson(KEPT);
  return Array.isArray(stored)
    ? stored.filter((view): view is KeptView => typeof view?.name === 'string' && typeof view?.query === 'string')
    : [];
}

/** Refused for good: the name is taken, there is no room, or it cannot be read. */
const isRefused = (error: unknown): boolean => error instanceof ApiError && ['conflict', 'bad_request'].includes(error.code);

/** Moves what this browser kept to the server, for the person who is signed in. What no server answers for stays for the next time. */
function useMoveKept(): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    const move = async (): Promise<void> => {
      for (let kept = readKept(); kept.length > 0; kept = kept.slice(1)) {
        const [{ name, query } = { name: '', query: '' }] = kept;
        await tell('savedViews.create', { page: 'fleet', name, search: toSaved(query) }).catch((error: unknown) => {
          if (!isRefused(error)) throw error;
        });
        writeStored(KEPT, JSON.stringify(kept.slice(1)));
      }
      await queryClient.invalidateQueries({ queryKey: viewsQuery('fleet').queryKey });
    };
    if (readKept().length > 0) move().catch(() => {});
  }, [queryClient]);
}

/** Views of the fleet: a filter, an order and a set of columns; the page of the list is of the moment. */
export function Views({ search }: { search: FleetSearch }) {
  useMoveKept();
  const viewed = useMemo(() => ({ ...search, page: undefined }), [search]);
  return <ViewsMenu page="fleet" search={viewed} decode={decodeFleetSearch} builtIn={BUILT_IN} />;
}
