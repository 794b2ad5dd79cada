import './shell.css';
import { useQuery } from '@tanstack/react-query';
import { CatchBoundary, Link, Outlet, useMatches, useRouterState } from '@tanstack/react-router';
import { Fragment, lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { meQuery, notifyPulseQuery, pulseQuery, summaryQuery } from '../queries.ts';
import { IconButton } from '../ui/controls/controls.tsx';
import { Icon } from '../ui/controls/icons.tsx';
import { useOwnDrafts } from '../ui/draft/use-own-drafts.ts';
import { keepEarlyKeys } from '../ui/focus/early-keys.ts';
import { loadChunk } from '../ui/lost-chunk/load-chunk.ts';
import { ZoneNote } from '../ui/moments/zone-note.tsx';
import { NAV_GROUPS } from '../ui/page/page.ts';
import { useListedPages } from '../ui/page/use-listed-pages.ts';
import { Forbidden } from '../ui/permission/forbidden.tsx';
import { useMay } from '../ui/permission/use-may.ts';
import { Failure } from '../ui/placeholders/failure.tsx';
import { NothingCame, StaleBanner } from '../ui/stale/stale-banner.tsx';
import { formatCount } from '../ui/words/format.ts';
import { AddressNotice } from './address-notice.tsx';
import { LiveState } from './live-state.tsx';
import { PageRange } from './page-range.tsx';
import { TenantMenu } from './tenant-menu.tsx';
import { chooseTheme, useTheme } from './theme.ts';
import { useFocusOnNavigation } from './use-focus-on-navigation.ts';
import { UserMenu } from './user-menu.tsx';

const CommandPalette = lazy(
  loadChunk(() => import('./command-palette.tsx').then((module) => ({ default: module.CommandPalette }))),
);

const CURRENT = { 'aria-current': 'page' } as const;

/** What stands beside the name of a page: devices of the fleet, incidents that are open, messages that nobody sends any more. */
function useCounts(): Readonly<Record<string, number | undefined>> {
  const readsFleet = useMay('agent.read');
  const readsIncidents = useMay('incident.read');
  const total = useQuery({ ...summaryQuery, enabled: readsFleet }).data?.total;
  const open = useQuery({ ...pulseQuery, enabled: readsIncidents }).data?.open;
  const dead = useQuery({ ...notifyPulseQuery, enabled: readsIncidents }).data?.dead;
  return { '/fleet': total, '/incidents': open || undefined, '/notify': dead || undefined };
}

const Count = ({ of }: { of: number | undefined }) =>
  of === undefined ? null : <span className="count">{formatCount(of)}</span>;

function Navigation() {
  const pages = useListedPages();
  const counts = useCounts();
  return (
    <nav className="nav" aria-label="Pages">
      {NAV_GROUPS.map(({ name, heading }) => {
        const open = pages.filter(({ group }) => group === name);
        return open.length === 0 ? null : (
          <Fragment key={name}>
            {heading ? (
              <h3>
                <span className="word">{heading}</span>
              </h3>
            ) : null}
            <ul>
              {open.map(({ path, title, icon }) => (
                <li key={path}>
                  <Link to={path} activeProps={CURRENT} title={title}>
                    <Icon name={icon} />
                    <span className="word">{title}</span>
                    <Count of={counts[path]} />
                  </Link>
                </li>
              ))}
            </ul>
          </Fragment>
        );
      })}
    </nav>
  );
}

/** Ctrl K or Cmd K anywhere opens the palette. */
function usePaletteKey(open: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [open]);
}

/** Where the tenant's name is folded away, the mark of simulated data still stands on every page. */
function SimulatedTag() {
  const me = useQuery(meQuery).data;
  const readsFleet = useMay('agent.read');
  const summary = useQuery({ ...summaryQuery, enabled: readsFleet }).data;
  return me?.tenant.simulated || summary?.simulated ? <span className="simulated">Simulated</span> : null;
}

/** A part of the top bar that fails is left out; the way to other pages stays. */
const Nothing = () => null;

function TopBar() {
  const [palette, setPalette] = useState(false);
  const theme = useTheme();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const openPalette = useCallback(() => {
    if (!palette) keepEarlyKeys();
    setPalette(true);
  }, [palette]);
  usePaletteKey(openPalette);
  return (
    <header className="top">
      <button type="button" className="field search" aria-label="Find a device, test or page, Ctrl K" onClick={openPalette}>
        <Icon name="search" size={14} />
        <span className="grow left">Find a device, test or page</span> <kbd>Ctrl</kbd> <kbd>K</kbd>
      </button>
      <span className="grow" />
      <SimulatedTag />
      <LiveState />
      <ZoneNote />
      <CatchBoundary getResetKey={() => path} errorComponent={Nothing}>
        <PageRange />
      </CatchBoundary>
      <IconButton
        className="themes"
        icon={theme === 'dark' ? 'sun' : 'moon'}
        label={theme === 'dark' ? 'Light theme' : 'Dark theme'}
        onClick={() => chooseTheme(theme === 'dark' ? 'light' : 'dark')}
      />
      {palette ? (
        <Suspense fallback={null}>
          <CommandPalette onClose={() => setPalette(false)} />
        </Suspense>
      ) : null}
    </header>
  );
}

/** The window is named after its page, unless the page does that itself. */
function useWindowTitle(): void {
  const page = useMatches({ select: (matches) => matches.at(-1)?.staticData.page });
  useEffect(() => {
    if (page && !page.namesWindow) document.title = page.title;
  }, [page]);
}

/** The page of the address, where the reader's roles permit it: its manifest names what it takes. */
function Page() {
  const page = useMatches({ select: (matches) => matches.at(-1)?.staticData.page });
  const permissions = useQuery(meQuery).data?.permissions;
  if (!page?.permission || permissions?.includes(page.permission)) return <Outlet />;
  return (
    <div className="page">
      <h1>{page.title}</h1>
      <Forbidden permission={page.permission} />
    </div>
  );
}

/** What surrounds every page: who, where, and the way to everything else. */
export function Shell() {
  const me = useQuery(meQuery);
  const main = useRef<HTMLElement>(null);
  useOwnDrafts(me.data?.account.id);
  const asked = useRouterState({ select: (state) => state.location.href });
  // The address is already that of the next page while the code of it comes and the one before still stands.
  const isBusy = useRouterState({ select: ({ location, resolvedLocation }) => location.pathname !== resolvedLocation?.pathname });
  useFocusOnNavigation(main);
  useWindowTitle();
  if (me.isError && !me.data) return <Failure error={me.error} retry={() => me.refetch()} />;
  return (
    <div className="shell">
      <a className="btn skip" href="#main">
        Skip to the page
      </a>
      <aside className="side">
        <TenantMenu />
        <Navigation />
        <UserMenu />
      </aside>
      <TopBar />
      <StaleBanner asked={asked} />
      <main className="main" id="main" tabIndex={-1} ref={main} aria-busy={isBusy || undefined}>
        <AddressNotice />
        <NothingCame />
        {me.data ? <Page /> : null}
        <ZoneNote />
      </main>
    </div>
  );
}
