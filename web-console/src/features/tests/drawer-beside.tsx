import './drawer-frame.css';
import type { Test } from '@svc/contracts/tests/test';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useSearchChange } from '../../ui/address/use-search-change.ts';
import { loadChunk } from '../../ui/lost-chunk/load-chunk.ts';
import { Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import type { TestDrawerProps } from './drawer/test-drawer.tsx';
import { cloneOf, EMPTY_FORM, formOf } from './drawer/test-form.ts';
import type { DrawerMode, DrawerSearch } from './drawer-search.ts';
import { testQuery } from './test-queries.ts';

const TestDrawer = lazy(loadChunk(() => import('./drawer/test-drawer.tsx').then((module) => ({ default: module.TestDrawer }))));

interface BesideProps {
  search: DrawerSearch;
  /** The test whose own page this is. */
  own?: string;
  children: ReactNode;
}

/** A page of tests, and the drawer beside it where its address asks for one: it takes its room and covers nothing. */
export function DrawerBeside({ search, own, children }: BesideProps) {
  const { drawer, of = own } = search;
  return (
    <div className={drawer ? 'besides open' : 'besides'}>
      {drawer ? <h1 className="beside-title">Tests</h1> : null}
      <div className="beside">{children}</div>
      {drawer ? (
        <Suspense fallback={<DrawerGhost />}>
          <Drawer key={`${drawer} ${of ?? ''}`} mode={drawer} of={of} />
        </Suspense>
      ) : null}
    </div>
  );
}

const DrawerGhost = ({ children }: { children?: ReactNode }) => (
  <aside className="drawer" aria-label="Test" aria-busy={children ? undefined : true}>
    {children ?? (
      <div className="drawerghost">
        <Ghost width={200} says="Loading" />
      </div>
    )}
  </aside>
);

/** What had the focus when the drawer opened gets it back, unless something else has taken it by then. */
function useOpener(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // Once the drawer is out of the document.
      setTimeout(() => {
        if (document.activeElement !== null && document.activeElement !== document.body) return;
        const place = opener?.isConnected && opener !== document.body ? opener : document.getElementById('main');
        if (place instanceof HTMLElement) place.focus({ preventScroll: true });
      });
    },
    [opener],
  );
}

function Drawer({ mode, of }: { mode: DrawerMode; of: string | undefined }) {
  useOpener();
  const change = useSearchChange<DrawerSearch>();
  const navigate = useNavigate();
  const close = (): void => change({ drawer: undefined, of: undefined });
  // In place of the drawer: going back from what was made does not open it once more.
  const open = (id: string): void => void navigate({ to: '/tests/$id', params: { id }, replace: true });
  const isNew = mode === 'new' || mode === 'describe' || of === undefined;
  const base = useQuery({ ...testQuery(of ?? ''), enabled: !isNew, refetchInterval: false, staleTime: Number.POSITIVE_INFINITY });
  const saved = { onSaved: mode === 'edit' ? close : ({ test }: { test: { id: string } }) => open(test.id), onClose: close };
  if (isNew) return <TestDrawer mode={mode === 'describe' ? mode : 'new'} initial={EMPTY_FORM} {...saved} />;
  if (base.isError && !base.data) {
    return (
      <DrawerGhost>
        <Failure error={base.error} retry={() => void base.refetch()} />
      </DrawerGhost>
    );
  }
  if (!base.data) return <DrawerGhost />;
  return <BegunDrawer mode={mode} test={base.data.row.test} {...saved} />;
}

interface BegunProps extends Pick<TestDrawerProps, 'onSaved' | 'onClose'> {
  mode: 'edit' | 'clone';
  test: Test;
}

/** The page beside it goes on asking for the test: what is edited stays the version that it was when editing began. */
function BegunDrawer({ mode, test: now, ...saved }: BegunProps) {
  const [test] = useState(now);
  return mode === 'edit' ? (
    <TestDrawer mode="edit" initial={formOf(test)} edited={{ id: test.id, version: test.version }} {...saved} />
  ) : (
    <TestDrawer mode="clone" initial={cloneOf(test)} {...saved} />
  );
}
