import './settings.css';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { EnrolTokensTab } from './enrol-tokens-tab.tsx';
import { PolicyTab } from './policy-tab.tsx';
import { SessionsTab } from './sessions-tab.tsx';

const route = getRouteApi('/settings');

const TABS = [
  { tab: undefined, label: 'Measuring' },
  { tab: 'enrol', label: 'Enrol tokens' },
  { tab: 'sessions', label: 'My sessions' },
] as const;

/** What is measured, how devices come in, and where one is signed in. */
export function SettingsPage() {
  const { tab } = route.useSearch();
  useEffect(() => {
    document.title = 'Settings';
  }, []);
  return (
    <div className="page">
      <h1>Settings</h1>
      <nav className="tabs" aria-label="Parts of this page">
        {TABS.map((item) => (
          <Link
            key={item.label}
            to="/settings"
            search={item.tab ? { tab: item.tab } : {}}
            aria-current={item.tab === tab ? 'page' : undefined}
            activeProps={{}}
          >
            {item.label}
          </Link>
        ))}
      </nav>
      {tab === undefined ? <PolicyTab /> : null}
      {tab === 'enrol' ? <EnrolTokensTab /> : null}
      {tab === 'sessions' ? <SessionsTab /> : null}
    </div>
  );
}
