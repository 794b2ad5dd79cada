import '../../../ui/page/page-head.css';
import '../rum.css';
import './app.css';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Tabs } from '../../../ui/controls/tabs.tsx';
import { Breadcrumb } from '../../../ui/page/breadcrumb.tsx';
import { EmptyState, Ghost } from '../../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../../ui/placeholders/failure.tsx';
import { appQuery, overviewQuery, type RumApp, type RumApps } from '../rum-queries.ts';
import { AppActions } from './app-actions.tsx';
import { InstallSteps } from './install-steps.tsx';
import { KeysCard } from './keys-card.tsx';
import { TryPanel } from './try-panel.tsx';
import { WaitingCard } from './waiting-card.tsx';

const route = getRouteApi('/rum/$app');

/** How one app is measured: the lines to paste, what came of them, its keys, and what the script would send. */
export function AppPage() {
  const { app: name } = route.useParams();
  const apps = useQuery(appQuery(name));
  useEffect(() => {
    document.title = name;
  }, [name]);
  if (apps.isError && !apps.data) return <Failure error={apps.error} retry={() => void apps.refetch()} />;
  if (!apps.data)
    return (
      <div className="page wide" aria-busy="true">
        <h1>
          <Ghost width={520} says="App, loading" />
        </h1>
        <section className="card rum-ghost" />
      </div>
    );
  const app = apps.data.items.find((one) => one.name === name);
  if (!app) return <NoSuchApp />;
  return <App app={app} apps={apps.data} />;
}

function NoSuchApp() {
  return (
    <EmptyState icon="people" title="There is no such app" alert>
      <p>
        It was removed, or the link is incomplete or belongs to another tenant. <Link to="/rum">Open Real users</Link>
      </p>
    </EmptyState>
  );
}

function headline({ name, hosts, first_beacon_at }: RumApp): string {
  if (first_beacon_at) return `${name} is measured: beacons of visitors who agreed come in.`;
  return `Two lines left to paste: then ${hosts.length === 1 ? hosts[0] : name} waits for its first visitor.`;
}

function App({ app, apps }: { app: RumApp; apps: RumApps }) {
  const { tab } = route.useSearch();
  const rows = useQuery(overviewQuery({ app: app.name })).data?.verdicts.filter((row) => row.app === app.name);
  const link = { to: '/rum/$app', params: { app: app.name } } as const;
  return (
    <div className="page wide">
      <Breadcrumb here={<span className="crumb-here">{app.name}</span>} />
      <div className="head">
        <div className="grow">
          <h1>{headline(app)}</h1>
          <p className="soft">
            Nothing is measured before a visitor consents, and nothing at all under Do Not Track or Global Privacy Control.
          </p>
        </div>
        <AppActions app={app} />
      </div>
      {apps.surface === 'open' ? null : (
        <p className="note" role="status">
          {apps.surface_sentence}
        </p>
      )}
      <Tabs
        tabs={[
          { label: 'Snippet and keys', link: { ...link, search: {} } },
          { label: 'Try it: what is sent', link: { ...link, search: { tab: 'try' } } },
        ]}
      />
      {tab === 'try' ? (
        <TryPanel app={app} apps={apps} />
      ) : (
        <>
          <div className="rum-install">
            <InstallSteps app={app} bytes={apps.script.bytes} />
            <WaitingCard app={app} endpoint={apps.endpoint} rows={rows} />
          </div>
          <KeysCard app={app} />
        </>
      )}
    </div>
  );
}
