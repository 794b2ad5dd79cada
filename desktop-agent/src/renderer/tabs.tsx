import { type KeyboardEvent, useRef } from 'react';
import { useWords } from './words-context.ts';

export const TABS = ['now', 'collect', 'sent', 'settings', 'about'] as const;
export type Tab = (typeof TABS)[number];

const MOVES: Readonly<Record<string, (at: number) => number>> = {
  ArrowRight: (at) => (at + 1) % TABS.length,
  ArrowLeft: (at) => (at - 1 + TABS.length) % TABS.length,
  Home: () => 0,
  End: () => TABS.length - 1,
};

/** One stop of the Tab key; arrows, Home and End move and open. */
export function Tabs({ current, onOpen }: { current: Tab; onOpen: (tab: Tab) => void }) {
  const { t } = useWords();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = TABS[MOVES[event.key]?.(TABS.indexOf(current)) ?? -1];
    if (!to) return;
    event.preventDefault();
    onOpen(to);
    list.current?.querySelector<HTMLElement>(`#tab-${to}`)?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label={t('window.pages')} ref={list} onKeyDown={onKeyDown}>
      {TABS.map((tab) => (
        <button
          key={tab}
          type="button"
          role="tab"
          id={`tab-${tab}`}
          aria-selected={tab === current}
          aria-controls={tab === current ? 'panel' : undefined}
          tabIndex={tab === current ? 0 : -1}
          onClick={() => onOpen(tab)}
        >
          {t(`tab.${tab}`)}
        </button>
      ))}
    </div>
  );
}
