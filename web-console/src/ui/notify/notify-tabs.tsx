import './notify.css';
import { Link, type LinkProps } from '@tanstack/react-router';

interface Part {
  label: string;
  to: LinkProps['to'];
}

const PARTS: readonly Part[] = [
  { label: 'Connectors', to: '/notify' },
  { label: 'Rules', to: '/notify/rules' },
  { label: 'Outbox', to: '/notify/outbox' },
  { label: 'Inbound', to: '/notify/inbound' },
];

/** The pages of notifications, each with an address of its own; the filters of one are not carried to another. */
export function NotifyTabs() {
  return (
    <nav className="tabs" aria-label="Notifications">
      {PARTS.map(({ label, to }) => (
        <Link key={label} to={to} search={{} as never} activeOptions={{ exact: true, includeSearch: false }}>
          {label}
        </Link>
      ))}
    </nav>
  );
}
