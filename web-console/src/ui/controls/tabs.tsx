import { Link, type LinkProps, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

export interface Tab {
  label: string;
  link: LinkProps;
}

/** Parts of a page, each with its own address; the one whose search is exactly the current one is marked, and in view on narrow screens. */
export function Tabs({ tabs }: { tabs: readonly Tab[] }) {
  const nav = useRef<HTMLElement>(null);
  const href = useRouterState({ select: ({ location }) => location.href });
  // biome-ignore lint/correctness/useExhaustiveDependencies: which tab is marked follows from the address.
  useEffect(() => {
    nav.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [href]);
  return (
    <nav className="tabs" aria-label="Parts of this page" ref={nav}>
      {tabs.map(({ label, link }) => (
        <Link key={label} {...link} activeOptions={{ exact: true, includeSearch: true }}>
          {label}
        </Link>
      ))}
    </nav>
  );
}
