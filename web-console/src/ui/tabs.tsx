import { Link, type LinkProps } from '@tanstack/react-router';

export interface Tab {
  label: string;
  link: LinkProps;
}

/** Parts of a page, each with its own address; the one whose search is exactly the current one is marked. */
export function Tabs({ tabs }: { tabs: readonly Tab[] }) {
  return (
    <nav className="tabs" aria-label="Parts of this page">
      {tabs.map(({ label, link }) => (
        <Link key={label} {...link} activeOptions={{ exact: true, includeSearch: true }}>
          {label}
        </Link>
      ))}
    </nav>
  );
}
