import type { IpcInput } from '@svc/contracts/agent/ipc';
import type { ServiceClient } from '../ipc/client.ts';
import type { Electron } from './electron.ts';

export interface NotesDeps {
  electron: Pick<Electron, 'powerMonitor' | 'session'>;
  client(): ServiceClient | undefined;
  hasTray(): boolean;
  language(): string;
}

export type SentRequest = IpcInput<'noteSent'>;

export interface DesktopNotes {
  /** Tells the service what only the desktop knows; again whenever that changes. */
  tell(power?: 'suspend' | 'resume'): void;
  /** A request that this program sent itself: for the ledger; kept until a service hears of it. */
  sent(request: SentRequest): void;
  /** Answers a service that asks for the proxy of an address. */
  answer(client: ServiceClient): void;
}

/** More than a day's looks for updates; a service that is away for longer misses the oldest. */
const MOST_REQUESTS = 100;

/** Power, tray and language to the service; it goes without where it does not hear of them. */
export function createDesktopNotes({ electron, client, hasTray, language }: NotesDeps): DesktopNotes {
  const { powerMonitor, session } = electron;
  let requests: SentRequest[] = [];
  const flush = (): void => {
    const service = client();
    if (!service) return;
    const told = requests;
    requests = [];
    for (const request of told) service.call('noteSent', request).catch(() => undefined);
  };
  const tell = (power: 'suspend' | 'resume' | null): void => {
    const note = {
      kind: 'window' as const,
      onBattery: powerMonitor.isOnBatteryPower(),
      power,
      tray: hasTray(),
      language: language(),
    };
    client()
      ?.call('note', note)
      .catch(() => undefined);
    flush();
  };
  powerMonitor.on('suspend', () => tell('suspend'));
  powerMonitor.on('resume', () => tell('resume'));
  powerMonitor.on('on-battery', () => tell(null));
  powerMonitor.on('on-ac', () => tell(null));
  return {
    tell: (power) => tell(power ?? null),
    sent(request) {
      requests = [...requests, request].slice(-MOST_REQUESTS);
      flush();
    },
    answer(asking) {
      asking.on('proxyWanted', ({ ask, url }) => {
        // The system's word for it, PAC scripts included; the service waits a second at most.
        session.defaultSession
          .resolveProxy(url)
          .then((proxy) => asking.call('proxyFound', { ask, proxy: proxy.slice(0, 1024) }))
          .catch(() => undefined);
      });
    },
  };
}
