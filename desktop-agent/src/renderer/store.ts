import { createContext, useContext, useSyncExternalStore } from 'react';
import type { AgentBridge, BridgeEvents, DesktopView, FaceSettings, Page, ServiceLink } from './bridge.ts';

/** A test that ended while the window was open, or the last one that the service remembers. */
export interface EndedTest {
  atMs: number;
  failed: boolean;
}

export interface Snapshot {
  link: ServiceLink;
  settings: FaceSettings;
  desktop: DesktopView;
  page: Page;
  update: BridgeEvents['update'] | null;
  ended: EndedTest | null;
}

export interface Store {
  bridge: AgentBridge;
  subscribe(listener: () => void): () => void;
  /** Null until main has answered for the first time. */
  read(): Snapshot | null;
  openPage(page: Page): void;
  changeSettings(change: Partial<FaceSettings>): void;
}

const testOf = (link: ServiceLink) => (link.reachable ? link.state.test : null);

function endedTest(before: ServiceLink, after: ServiceLink, known: EndedTest | null): EndedTest | null {
  const test = testOf(after);
  if (test?.running) return null;
  if (testOf(before)?.running && after.reachable) return { atMs: Date.now(), failed: test?.failed ?? false };
  return known;
}

/** The window's whole memory: what main said last, and the page. */
export function createStore(bridge: AgentBridge): Store {
  let snapshot: Snapshot | null = null;
  const listeners = new Set<() => void>();
  const change = (part: Partial<Snapshot>): void => {
    if (!snapshot) return;
    snapshot = { ...snapshot, ...part };
    for (const listener of listeners) listener();
  };
  bridge.on('service', (link) => {
    if (snapshot) change({ link, ended: endedTest(snapshot.link, link, snapshot.ended) });
  });
  bridge.on('update', (update) => change({ update }));
  bridge.on('openPage', (page) => change({ page }));
  bridge.on('settings', (settings) => change({ settings }));
  void bridge.open().then(({ service, settings, desktop, page, update }) => {
    snapshot = { link: service, settings, desktop, page: page ?? 'now', update, ended: null };
    change({});
  });
  return {
    bridge,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    read: () => snapshot,
    openPage: (page) => change({ page }),
    changeSettings(part) {
      void bridge.setSettings(part).then((settings) => change({ settings }));
    },
  };
}

export const useSnapshot = (store: Store): Snapshot | null => useSyncExternalStore(store.subscribe, store.read);

export const StoreContext = createContext<Store | null>(null);
export function useStore(): Store {
  const store = useContext(StoreContext);
  if (!store) throw new Error('A page stands outside of the window.');
  return store;
}
