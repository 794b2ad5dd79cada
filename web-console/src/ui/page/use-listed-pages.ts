import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { meQuery } from '../../queries.ts';
import type { PageFacts } from './page.ts';

export interface ListedPage extends PageFacts {
  path: string;
}

interface PageRoute {
  fullPath: string;
  options: { staticData?: { page?: PageFacts } };
}

/** Those that are listed and that somebody with these permissions may open. */
export const listPages = (routes: readonly PageRoute[], permissions: readonly string[]): ListedPage[] =>
  routes.flatMap(({ fullPath, options }) => {
    const page = options.staticData?.page;
    const may = page?.permission === undefined || permissions.includes(page.permission);
    return page?.group && may ? [{ ...page, path: fullPath }] : [];
  });

/** The pages of navigation and palette that the reader may open, in the router's order. */
export function useListedPages(): ListedPage[] {
  const router = useRouter();
  return listPages(Object.values(router.routesByPath), useQuery(meQuery).data?.permissions ?? []);
}
