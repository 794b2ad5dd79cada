import { type AnyRouter, useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { changeSearch } from '../address/use-search-change.ts';
import type { ShownView } from './saved-views.ts';

/** Entries of the history on which the reader took everything out of the address: Back and forward leave them so. */
const emptied = new Set<string>();

const entryOf = (router: AnyRouter): string => router.latestLocation.state.__TSR_key ?? '';

interface DefaultViewInput {
  path: string;
  /** Of the address, empty where it asks for nothing. */
  query: string;
  /** Undefined until they are known. */
  views: readonly ShownView[] | undefined;
}

/**
 * A page that is opened without asking for anything shows the reader's default view, in the place of that address. What the reader does
 * meanwhile or later is left as it is.
 */
export function useDefaultView({ path, query, views }: DefaultViewInput): void {
  const router = useRouter();
  const isOpening = useRef(true);
  useEffect(() => {
    const entry = entryOf(router);
    if (query !== '') isOpening.current = false;
    else if (!isOpening.current) emptied.add(entry);
    else if (emptied.has(entry)) isOpening.current = false;
    else if (views) {
      isOpening.current = false;
      const chosen = views.find(({ saved }) => saved?.is_default);
      if (chosen && chosen.query !== '') changeSearch(router, { path, part: chosen.search, rule: 'typing' });
    }
  }, [router, path, query, views]);
}
