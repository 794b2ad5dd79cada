import type { IpcInput, IpcOutput } from '@svc/contracts/agent/ipc';
import type { CALL_FAULTS, FaceSettings, HandedOn, PAGES, WindowOutput, WindowValue } from '@svc/contracts/agent/window-ipc';

export type { DesktopView, FaceSettings, HandedOn, ServiceLink } from '@svc/contracts/agent/window-ipc';

export type Page = (typeof PAGES)[number];
export type CallFault = (typeof CALL_FAULTS)[number];
export type CallResult<C extends HandedOn> = { ok: true; output: IpcOutput<C> } | { ok: false; code: CallFault };

// Written out again, because the contract's own lists come with their parser.
export const LANGUAGE_CHOICES = ['system', 'en', 'de', 'fr', 'es'] as const satisfies readonly FaceSettings['language'][];
export const THEMES = ['system', 'light', 'dark'] as const satisfies readonly FaceSettings['theme'][];

/** What main sends unasked. A listener may hear the same value twice and must not throw. */
export interface BridgeEvents {
  service: WindowValue<'service'>;
  update: WindowValue<'update'>;
  openPage: WindowValue<'openPage'>;
  settings: WindowValue<'settings'>;
}

/**
 * The only thing that the window can reach: main implements it over the preload script and checks each payload on its way in
 * and out. Every promise settles; a service's fault is a result rather than a rejection, of which only the message would come
 * through the context bridge.
 */
export interface AgentBridge {
  /** Everything for the first paint, in one piece. `page` is what the tray asked for, or null. */
  open(): Promise<WindowOutput<'open'>>;
  call<C extends HandedOn>(name: C, input: IpcInput<C>): Promise<CallResult<C>>;
  /** Returns what ends the listening. */
  on<E extends keyof BridgeEvents>(event: E, listener: (value: BridgeEvents[E]) => void): () => void;
  setSettings(change: Partial<FaceSettings>): Promise<FaceSettings>;
  /** Asks the person where to; false where they cancelled or the disk refused. */
  saveFile(name: string, text: string): Promise<boolean>;
  /** Puts plain text on the clipboard. */
  copy(text: string): Promise<boolean>;
  /** Restarts into the version that the event `update` announced with `restart`. */
  restartForUpdate(): Promise<void>;
  /** Closes this window; measuring goes on. The window draws its own bar: main opens it without a frame. */
  closeWindow(): Promise<void>;
  /** Bytes that icon and window hold in memory now, and held the last time without a window. */
  ownMemory(): Promise<WindowOutput<'ownMemory'>>;
}

declare global {
  interface Window {
    agent: AgentBridge;
  }
}
