import type { LedgerEntry, LedgerPage } from '@svc/contracts/agent/ipc';
import { useEffect, useState } from 'react';
import type { CallFault } from '../bridge.ts';
import { useCall } from '../use-call.ts';

const PAGE = 50;

export interface Ledger {
  /** The newest page, with the counts; null before the first answer. */
  page: LedgerPage | null;
  entries: readonly LedgerEntry[];
  hasMore: boolean;
  fault: CallFault | null;
  showMore(): void;
  /** Reads it again from the newest on. */
  refresh(): Promise<LedgerPage | undefined>;
}

/** The entries that match a search, page by page. Rows never move while they are read: new ones come with `refresh`. */
export function useLedger(search: string): Ledger {
  const [page, setPage] = useState<LedgerPage | null>(null);
  const [older, setOlder] = useState<{ entries: readonly LedgerEntry[]; next: number | null } | null>(null);
  const { run, fault } = useCall('ledger');
  const query = search === '' ? {} : { search };
  const refresh = async (): Promise<LedgerPage | undefined> => {
    const found = await run({ ...query, limit: PAGE });
    if (found) {
      setPage(found);
      setOlder(null);
    }
    return found;
  };
  useEffect(() => {
    let stale = false;
    void run({ ...(search === '' ? {} : { search }), limit: PAGE }).then((found) => {
      if (stale || !found) return;
      setPage(found);
      setOlder(null);
    });
    return () => {
      stale = true;
    };
  }, [run, search]);
  const next = older ? older.next : (page?.next ?? null);
  return {
    page,
    entries: [...(page?.entries ?? []), ...(older?.entries ?? [])],
    hasMore: next !== null,
    fault,
    showMore: () => {
      if (next === null) return;
      void run({ ...query, limit: PAGE, before: next }).then(
        (found) => found && setOlder({ entries: [...(older?.entries ?? []), ...found.entries], next: found.next }),
      );
    },
    refresh,
  };
}
