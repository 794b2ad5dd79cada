import { join } from 'node:path';
import type { FaceSettings, ServiceLink, WindowValue } from '@svc/contracts/agent/window-ipc';
import { chooseLanguage } from '../i18n/languages.ts';
import { type Platform, permissionWords } from '../i18n/state-words.ts';
import { createWords, type Words } from '../i18n/words.ts';
import type { ServiceClient } from '../ipc/client.ts';
import { createDesktopNotes, type DesktopNotes } from './desktop-notes.ts';
import type { Electron } from './electron.ts';
import type { SettingsStore } from './face-settings.ts';
import { createGapNotices, type GapNotices } from './gap-notices.ts';
import type { NetworkName } from './network-name.ts';
import { createOwnMemory, type OwnMemory } from './own-memory.ts';
import { keepService, type LinkTimes, type ServiceConnection, type ServiceLinkDeps } from './service-link.ts';
import { createTray, type FaceTray } from './tray.ts';
import type { MenuView } from './tray-menu.ts';
import { createFaceWindow, type FaceWindow, preloadIn } from './window.ts';
import { createAnswers } from './window-answers.ts';
import { type Answers, openWindowIpc, type WindowIpc } from './window-ipc.ts';

export type Page = WindowValue<'openPage'>;
export type Update = WindowValue<'update'>;

export interface FaceDeps {
  electron: Electron;
  /** Where main.cjs, preload.cjs, icons/ and renderer/ lie. */
  folder: string;
  partition: string;
  platform: Platform;
  /** `XDG_CURRENT_DESKTOP` */
  desktop: string;
  settings: SettingsStore;
  connect: ServiceLinkDeps['connect'];
  start: ServiceLinkDeps['start'];
  times?: Partial<LinkTimes> & { gapMs?: number; noTrayMs?: number };
  /** False where who installed this wants it to stay. */
  mayQuit: boolean;
  /** Tells whether this desktop has a tray, now and later; undefined where it cannot be asked. */
  watchTray: ((onChange: (has: boolean) => void) => { close(): void }) | undefined;
  /** The permission with which macOS guards the network's name. */
  networkName: NetworkName;
  restartForUpdate(): void;
  /** The service answers, and its state is shown; once in a run. */
  onWorking?(): void;
  log(text: string): void;
}

/** Tray, window and service connection of one person. */
export interface FaceApp {
  open(page: Page | null): void;
  /** A newer version waits. */
  update(update: Update): void;
  /** This program asked the control plane for something itself. */
  sent: DesktopNotes['sent'];
  stop(): Promise<void>;
}

const MINUTE_MS = 60_000;
/** Until a tray that starts with the session has had its time. */
const NO_TRAY_MS = 15_000;
const GAP_MS = 10_000;
/** Until then a service is only about to start, and nothing is said of it. */
const FIRST_MS = 3000;

interface Running extends FaceDeps {
  words: Words;
  hasTray: boolean;
  page: Page | null;
  waiting: Update | null;
  askedOnce: boolean;
  /** The person was told in this run that a permission is missing. */
  toldPermission: boolean;
  /** The service answered once. */
  works: boolean;
  tray: FaceTray | undefined;
  window: FaceWindow;
  service: ServiceConnection;
  notes: DesktopNotes;
  ipc: WindowIpc;
  memory: OwnMemory;
}

function wordsFor({ electron, settings }: FaceDeps): Words {
  const { language } = settings.current();
  const system = electron.app.getPreferredSystemLanguages();
  return createWords(language === 'system' ? chooseLanguage(system) : language, system);
}

function viewOf(r: Running): MenuView {
  return {
    words: r.words,
    face: r.service.current(),
    nowMs: Date.now(),
    platform: r.platform,
    mayQuit: r.mayQuit,
    mayShowNetworkName: r.networkName.mayAsk(),
  };
}

function notify(r: Running, title: string, body: string): void {
  const { Notification } = r.electron;
  if (!Notification.isSupported()) return;
  const notice = new Notification({ title, body, icon: join(r.folder, 'icons', 'app-64.png') });
  notice.on('click', () => open(r, null));
  notice.show();
}

function open(r: Running, page: Page | null): void {
  r.page = page;
  const { theme } = r.settings.current();
  const dark = theme === 'dark' || (theme === 'system' && r.electron.nativeTheme.shouldUseDarkColors);
  const made = r.window.open({ title: r.words.t('app.name'), dark, near: r.tray?.bounds() });
  // A new window asks for its page itself.
  if (!made && page !== null) r.ipc.send('openPage', page);
}

function askService(r: Running, ask: (client: ServiceClient) => Promise<unknown>): void {
  const client = r.service.client();
  if (client) ask(client).catch((error: Error) => r.log(`The service refused: ${error.message}`));
}

/** Where the name is not collected, its switch is shown: a permission for nothing is not asked for. */
function showNetworkName(r: Running): void {
  askService(r, async (client) => {
    const { items } = await client.call('disclosure', {});
    if (items.find(({ item }) => item === 'ssid')?.on) r.networkName.ask();
    else open(r, 'collect');
  });
}

function drawTray(r: Running): void {
  const view = viewOf(r);
  if (r.tray) r.tray.update(view);
  else r.tray = putUpTray(r, view);
}

function putUpTray(r: Running, first: MenuView): FaceTray {
  return createTray(
    {
      electron: r.electron,
      iconDir: join(r.folder, 'icons'),
      desktop: r.desktop,
      actions: {
        testNow() {
          open(r, 'now');
          askService(r, (client) => client.call('testNow', {}));
        },
        open: (page) => open(r, page),
        pause: (minutes) => askService(r, (client) => client.call('pause', { minutes })),
        quit: () => r.electron.app.quit(),
        showNetworkName: () => showNetworkName(r),
      },
    },
    first,
  );
}

function onLink(r: Running, link: ServiceLink): void {
  drawTray(r);
  r.ipc.send('service', link);
  if (!link.reachable) return;
  // The first start, or a policy that wants more than was shown: until it was seen, nothing of it is measured.
  const isNew = link.state.disclosure === 'not_shown';
  if (isNew && !r.askedOnce) open(r, null);
  r.askedOnce = isNew;
  const [missing] = link.state.missingPermissions;
  if (!missing || r.toldPermission || isNew) return;
  r.toldPermission = true;
  notify(r, r.words.t('notify.permission.title'), permissionWords(r.words, missing, r.platform).title);
}

function followTray(r: Running): () => void {
  if (r.platform !== 'linux' || !r.watchTray) return () => undefined;
  const timer = setTimeout(() => {
    if (!r.hasTray && r.settings.tellNoTray()) notify(r, r.words.t('notify.noTray.title'), r.words.t('notify.noTray.body'));
  }, r.times?.noTrayMs ?? NO_TRAY_MS);
  const watch = r.watchTray((has) => {
    const came = has && !r.hasTray;
    r.hasTray = has;
    if (came) r.tray?.renew();
    r.notes.tell();
  });
  return () => {
    clearTimeout(timer);
    watch.close();
  };
}

function onSettings(r: Running, settings: FaceSettings): void {
  r.words = wordsFor(r);
  drawTray(r);
  r.notes.tell();
  r.ipc.send('settings', settings);
}

function take(r: Running, update: Update): void {
  const isNews = r.waiting?.version !== update.version;
  r.waiting = update;
  r.ipc.send('update', update);
  if (isNews) notify(r, r.words.t('notify.update.title', { version: update.version }), r.words.t(`notify.update.${update.how}`));
}

function answersOf(r: Running): Answers {
  const { electron, platform, settings, window, restartForUpdate } = r;
  return createAnswers({
    electron,
    platform,
    settings,
    window,
    restartForUpdate,
    memory: r.memory,
    service: () => r.service,
    hasTray: () => r.hasTray,
    takePage() {
      const { page } = r;
      r.page = null;
      return page;
    },
    update: () => r.waiting,
    onSettings: (next) => onSettings(r, next),
  });
}

function connectService(r: Running, onChange: (link: ServiceLink) => void): ServiceConnection {
  return keepService({
    connect: r.connect,
    start: r.start,
    ...(r.times ? { times: r.times } : {}),
    now: Date.now,
    log: r.log,
    onChange,
    onClient(client) {
      r.notes.answer(client);
      r.notes.tell();
      client.on('update', (update) => take(r, update));
    },
  });
}

function createNotices(r: Running): GapNotices {
  return createGapNotices({
    afterMs: r.times?.gapMs ?? GAP_MS,
    gone: () => notify(r, r.words.t('notify.gone.title'), r.words.t('notify.gone.body')),
    back: () => notify(r, r.words.t('notify.back.title'), r.words.t('notify.back.body')),
  });
}

/** Puts the face up. Electron must be ready, the pages' scheme served and the session hardened. */
export function startFace(deps: FaceDeps): FaceApp {
  const { electron, folder, partition } = deps;
  const window = createFaceWindow({
    electron,
    preload: preloadIn(folder),
    icon: join(folder, 'icons', 'app-128.png'),
    partition,
    devTools: !electron.app.isPackaged,
  });
  const begin = {
    words: wordsFor(deps),
    hasTray: true,
    page: null,
    waiting: null,
    askedOnce: false,
    toldPermission: false,
    works: false,
    tray: undefined,
  };
  // Notes, calls and connection need what stands around them: they come one line below.
  const r = { ...deps, ...begin, window, memory: createOwnMemory(deps.electron) } as Running;
  r.notes = createDesktopNotes({
    electron,
    client: () => r.service?.client(),
    hasTray: () => r.hasTray,
    language: () => r.words.language,
  });
  r.ipc = openWindowIpc({ electron, contents: window.contents, log: deps.log, answers: answersOf(r) });
  const notices = createNotices(r);
  r.service = connectService(r, (link) => {
    onLink(r, link);
    notices.see(link);
    if (link.reachable && !r.works) {
      r.works = true;
      deps.onWorking?.();
    }
  });
  const stopFollowing = followTray(r);
  // Words such as "since yesterday" and the time left of a test go by the clock.
  const first = setTimeout(() => drawTray(r), FIRST_MS);
  const clock = setInterval(() => {
    if (r.tray) drawTray(r);
    r.memory.note(window.browserWindow() !== undefined);
  }, MINUTE_MS);
  return {
    open: (page) => open(r, page),
    update: (update) => take(r, update),
    sent: (request) => r.notes.sent(request),
    async stop() {
      clearTimeout(first);
      clearInterval(clock);
      notices.close();
      stopFollowing();
      window.close();
      r.ipc.close();
      r.tray?.close();
      r.tray = undefined;
      await r.service.stop();
    },
  };
}
