import './settings.css';
import { getRouteApi } from '@tanstack/react-router';
import { type Tab, Tabs } from '../../ui/controls/tabs.tsx';
import { Permitted } from '../../ui/permission/forbidden.tsx';
import { ConsentCard } from './consent-card.tsx';
import { EnrolTokensTab } from './enrol-tokens-tab.tsx';
import { ExportTab } from './export-tab.tsx';
import { IncidentsTab } from './incidents-tab.tsx';
import { PeopleSeeTab } from './people-see-tab.tsx';
import { PolicyTab } from './policy-tab.tsx';
import { SessionsTab } from './sessions-tab.tsx';
import { TestsTab } from './tests/tests-tab.tsx';

const route = getRouteApi('/settings');

const TABS: readonly Tab[] = [
  { label: 'Measuring', link: { to: '/settings', search: {} } },
  { label: 'What your people see', link: { to: '/settings', search: { tab: 'people-see' } } },
  { label: 'Tests', link: { to: '/settings', search: { tab: 'tests' } } },
  { label: 'Incidents', link: { to: '/settings', search: { tab: 'incidents' } } },
  { label: 'Enrol tokens', link: { to: '/settings', search: { tab: 'enrol' } } },
  { label: 'Metrics export', link: { to: '/settings', search: { tab: 'export' } } },
  { label: 'My sessions', link: { to: '/settings', search: { tab: 'sessions' } } },
];

/** What is measured, how devices come in, and where one is signed in. */
export function SettingsPage() {
  const { tab } = route.useSearch();
  return (
    <div className="page">
      <h1>Settings</h1>
      <Tabs tabs={TABS} />
      {tab === undefined ? <PolicyTab /> : null}
      {tab === 'people-see' ? <PeopleSeeTab /> : null}
      {tab === 'tests' ? (
        <Permitted permission="test.read">
          <TestsTab />
        </Permitted>
      ) : null}
      {tab === 'incidents' ? (
        <Permitted permission="incident.read">
          <IncidentsTab />
          <ConsentCard />
        </Permitted>
      ) : null}
      {tab === 'enrol' ? (
        <Permitted permission="agent.write">
          <EnrolTokensTab />
        </Permitted>
      ) : null}
      {tab === 'export' ? (
        <Permitted permission="otlp.read">
          <ExportTab />
        </Permitted>
      ) : null}
      {tab === 'sessions' ? <SessionsTab /> : null}
    </div>
  );
}
