import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { Outage } from './outage.ts';
import { watchOf } from './outage-watch.ts';

/** What on screen is not current, and the way to ask again at once. */
export function useOutage(): { outage: Outage | undefined; tryNow: () => void } {
  const watch = watchOf(useQueryClient());
  const outage = useSyncExternalStore(watch.subscribe, watch.read, watch.read);
  return { outage, tryNow: watch.tryNow };
}
