import { CALL_CHANNEL, EVENT_CHANNEL } from '@svc/contracts/agent/window-channels';
import { contextBridge, ipcRenderer } from 'electron';
import type { AgentBridge, BridgeEvents } from '../renderer/bridge.ts';

type Listener = (value: never) => void;
const listeners = new Map<string, Set<Listener>>();

// The event itself never reaches the page: it would hand over ipcRenderer.
ipcRenderer.on(EVENT_CHANNEL, (_event, name: string, value: unknown) => {
  for (const listener of listeners.get(name) ?? []) listener(value as never);
});

/** Main parses what comes and what goes; nothing is decided here. */
const call = (name: string, input: unknown = {}): Promise<never> =>
  ipcRenderer.invoke(CALL_CHANNEL, name, input) as Promise<never>;

const bridge: AgentBridge = {
  call,
  open: () => call('open'),
  setSettings: (change) => call('setSettings', change),
  saveFile: (name, text) => call('saveFile', { name, text }),
  copy: (text) => call('copy', { text }),
  restartForUpdate: () => call('restartForUpdate'),
  closeWindow: () => call('closeWindow'),
  ownMemory: () => call('ownMemory'),
  on<E extends keyof BridgeEvents>(event: E, listener: (value: BridgeEvents[E]) => void) {
    const all = listeners.get(event) ?? new Set<Listener>();
    listeners.set(event, all.add(listener as Listener));
    return () => void all.delete(listener as Listener);
  },
};

contextBridge.exposeInMainWorld('agent', bridge);
