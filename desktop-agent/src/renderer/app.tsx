import { useEffect, useRef, useState } from 'react';
import { AboutPage } from './about/about-page.tsx';
import type { Page } from './bridge.ts';
import { CollectPage } from './collect/collect-page.tsx';
import { HelpdeskPage } from './helpdesk/helpdesk-page.tsx';
import { NowPage } from './now/now-page.tsx';
import { SentPage } from './sent/sent-page.tsx';
import { SettingsPage } from './settings/settings-page.tsx';
import { type Snapshot, type Store, StoreContext, useSnapshot } from './store.ts';
import { type Tab, Tabs } from './tabs.tsx';
import { applyTheme } from './theme.ts';
import { Icon, Mark } from './ui/icon.tsx';
import { WelcomePage } from './welcome/welcome-page.tsx';
import { useChosenWords, useWords, WordsContext } from './words-context.ts';

function Bar({ store, organisation }: { store: Store; organisation: string | null }) {
  const { t } = useWords();
  return (
    <header className="bar">
      <Mark />
      <b>{t('app.name')}</b>
      <span className="mute cut grow" title={organisation ?? undefined}>
        {organisation}
      </span>
      <button
        type="button"
        className="close"
        aria-label={t('window.close')}
        title={t('window.close')}
        onClick={() => void store.bridge.closeWindow()}
      >
        <Icon name="cross" size={14} />
      </button>
    </header>
  );
}

interface OpenPageProps {
  page: Page;
  snapshot: Snapshot;
  onReview: () => void;
}

function OpenPage({ page, snapshot, onReview }: OpenPageProps) {
  switch (page) {
    case 'now':
      return <NowPage snapshot={snapshot} onReview={onReview} />;
    case 'collect':
      return <CollectPage snapshot={snapshot} />;
    case 'sent':
      return <SentPage snapshot={snapshot} />;
    case 'settings':
      return <SettingsPage snapshot={snapshot} onReview={onReview} />;
    case 'about':
      return <AboutPage snapshot={snapshot} />;
    case 'helpdesk':
      return <HelpdeskPage />;
  }
}

/** What replaces a page takes the focus that went with it: a screen reader reads on there. */
function useFocusOnChange(place: string): void {
  const last = useRef(place);
  useEffect(() => {
    if (last.current === place) return;
    last.current = place;
    document.querySelector<HTMLElement>('h1')?.focus();
  }, [place]);
}

/** First the disclosure, until it was answered once; then the pages. */
function Content({ store, snapshot }: { store: Store; snapshot: Snapshot }) {
  const [reviewing, setReviewing] = useState(false);
  const { link, page } = snapshot;
  const welcoming = reviewing || (link.reachable && link.state.disclosure === 'not_shown');
  useFocusOnChange(`${welcoming} ${page === 'helpdesk'}`);
  if (welcoming) return <WelcomePage snapshot={snapshot} onDone={() => setReviewing(false)} />;
  const tab: Tab = page === 'helpdesk' ? 'now' : page;
  return (
    <>
      <Tabs current={tab} onOpen={store.openPage} />
      <OpenPage page={page} snapshot={snapshot} onReview={() => setReviewing(true)} />
    </>
  );
}

export function App({ store }: { store: Store }) {
  const snapshot = useSnapshot(store);
  const words = useChosenWords(snapshot);
  const theme = snapshot?.settings.theme ?? 'system';
  useEffect(() => applyTheme(theme), [theme]);
  useEffect(() => {
    document.documentElement.lang = words.language;
    document.title = words.t('app.name');
  }, [words]);
  const organisation = snapshot?.link.reachable ? snapshot.link.state.organisation : null;
  return (
    <StoreContext value={store}>
      <WordsContext value={words}>
        <div className="win">
          <Bar store={store} organisation={organisation} />
          {snapshot ? <Content store={store} snapshot={snapshot} /> : null}
        </div>
      </WordsContext>
    </StoreContext>
  );
}
