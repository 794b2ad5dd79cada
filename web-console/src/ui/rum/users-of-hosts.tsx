import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { ask } from '../../api.ts';
import { POLL_MS } from '../../queries.ts';
import { loadChunk } from '../lost-chunk/load-chunk.ts';
import { useMay } from '../permission/use-may.ts';

/** Only where users are known: most devices and tests are of hosts that nobody has beacons of. */
const UsersList = lazy(loadChunk(() => import('./users-list.tsx').then((module) => ({ default: module.UsersList }))));

/** As many as one question takes. */
const MOST = 50;

interface UsersProps {
  /** As they are spelled on the page; those that no user is known of are left out. */
  hosts: readonly string[];
}

/** What people who visit the same hosts go through: one line a host, one click from all of it. Nothing where nobody is known to. */
export function UsersOfHosts({ hosts }: UsersProps) {
  const reads = useMay('rum.read');
  const asked = [...new Set(hosts)].toSorted().slice(0, MOST);
  const found = useQuery({
    queryKey: ['rum.ofHosts', asked],
    queryFn: ({ signal }) => ask('rum.ofHosts', { hosts: asked }, signal),
    enabled: reads && asked.length > 0,
    refetchInterval: POLL_MS,
    placeholderData: (before) => before,
  }).data?.items;
  // The page is about something else: where this is not known, nothing is missing from it.
  if (!found || found.length === 0) return null;
  return (
    <Suspense>
      <UsersList found={found} />
    </Suspense>
  );
}
