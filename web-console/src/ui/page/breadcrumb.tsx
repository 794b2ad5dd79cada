import { Link, useMatches, useParams, useRouter } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { Icon } from '../controls/icons.tsx';

interface BreadcrumbProps {
  /** What stands after the page above. */
  here: ReactNode;
  /** The search with which the page right above is opened again. */
  search?: Record<string, unknown>;
  className?: string;
  /** At the other end of the line. */
  children?: ReactNode;
}

/** The paths above one, the topmost first: `/rum/$app/$host` stands below `/rum` and `/rum/$app`. */
const pathsAbove = (path: string): string[] => {
  const parts = path.split('/');
  return parts.slice(2).map((_, at) => parts.slice(0, at + 2).join('/'));
};

/** Where a page stands: the pages above it, by the path of all, and what is shown. One that is of something bears its name. */
export function Breadcrumb({ here, search = {}, className = 'crumb', children }: BreadcrumbProps) {
  const router = useRouter();
  const path = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '/' });
  const params: Readonly<Record<string, string | undefined>> = useParams({ strict: false });
  const routes = Object.values(router.routesByPath);
  const above = pathsAbove(path).flatMap((one) => routes.find((route) => route.fullPath === one) ?? []);
  return (
    <nav className={className} aria-label="Breadcrumb">
      {above.map((route, at) => {
        const name = /\$(\w+)$/.exec(route.fullPath)?.[1];
        return (
          <Fragment key={route.fullPath}>
            <Link to={route.fullPath} params={params as never} search={at === above.length - 1 ? search : {}}>
              {name ? params[name] : route.options.staticData?.page?.title}
            </Link>
            <Icon name="right" size={12} />
          </Fragment>
        );
      })}
      {here}
      <span className="grow" />
      {children}
    </nav>
  );
}
