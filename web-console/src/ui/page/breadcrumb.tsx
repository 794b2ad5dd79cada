import { Link, useMatches, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon } from '../controls/icons.tsx';

interface BreadcrumbProps {
  /** What stands after the page above. */
  here: ReactNode;
  /** The search with which the page above is opened again. */
  search?: Record<string, unknown>;
  className?: string;
  /** At the other end of the line. */
  children?: ReactNode;
}

/** Where a page stands: the page above it, by the path of both, and what is shown. */
export function Breadcrumb({ here, search = {}, className = 'crumb', children }: BreadcrumbProps) {
  const router = useRouter();
  const path = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '/' });
  const above = Object.values(router.routesByPath).find((route) => route.fullPath === path.slice(0, path.lastIndexOf('/')));
  return (
    <nav className={className} aria-label="Breadcrumb">
      {above ? (
        <>
          <Link to={above.fullPath} search={search}>
            {above.options.staticData?.page?.title}
          </Link>
          <Icon name="right" size={12} />
        </>
      ) : null}
      {here}
      <span className="grow" />
      {children}
    </nav>
  );
}
