import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { meQuery } from '../../queries.ts';
import type { PageFacts } from './page.ts';

export interface ListedPage extends PageFacts {
  path: string;
}

/** The pages of navigation and palette that the reader may open, in the router's order. */
export function useListedPages(): ListedPage[] {
  const router = useRouter();
  const permissions: readonly string[] = useQuery(meQuery).data?.permissions ?? [];
  return Object.values(router.routesByPath).flatMap((route) => {
    const page = route.options.staticData?.page;
    const may = page?.permission === undefined || permissions.includes(page.permission);
    return page?.group && may ? [{ ...page, path: route.fullPath }] : [];
  });
}
