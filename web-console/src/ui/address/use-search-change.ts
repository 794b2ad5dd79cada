import { type AnyRouter, useMatch, useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';

/** `step`: one step back undoes it. `typing`: text being typed, a brush or a row being moved; it takes the place of what it follows. */
export type HistoryRule = 'step' | 'typing';

interface SearchChange {
  /** The page that the change is for. */
  path: string;
  /** `undefined` takes a key out. */
  part: object;
  rule: HistoryRule;
}

const trim = (path: string): string => path.replace(/(.)\/+$/, '$1');

/** Changes the address of a page; a change that comes late, when the reader has left for another page, is dropped. */
export function changeSearch(router: AnyRouter, { path, part, rule }: SearchChange): void {
  if (trim(router.latestLocation.pathname) !== trim(path)) return;
  const search = (before: object): object => ({ ...before, ...part });
  void router.navigate({ to: '.', search, replace: rule === 'typing', resetScroll: false });
}

/** The one way in which a page changes what its address asks for; it stays scrolled where it is. `path` is for what stands outside a page. */
export function useSearchChange<Search extends object>(path?: string): (part: Search, rule?: HistoryRule) => void {
  const router = useRouter();
  const own = useMatch({ strict: false, select: ({ pathname }) => pathname });
  const mine = path ?? own;
  return useCallback((part, rule = 'step') => changeSearch(router, { path: mine, part, rule }), [router, mine]);
}
