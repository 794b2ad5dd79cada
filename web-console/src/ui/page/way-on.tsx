import { Link, useMatches, useRouter } from '@tanstack/react-router';

/** A link to the page of the navigation under which an address stands, without what the address asks for: "Open Traces". */
export function WayOn() {
  const router = useRouter();
  const path = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '/' });
  const listed = Object.values(router.routesByPath).find((route) => route.fullPath === `/${path.split('/')[1]}`);
  const title = listed?.options.staticData?.page?.title;
  return listed && title ? <Link to={listed.fullPath}>Open {title}</Link> : null;
}
