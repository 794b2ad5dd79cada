import { createRequire } from 'node:module';
import { join } from 'node:path';
import { printable } from '@svc/contracts/words/printable';
import * as electron from 'electron';
import { messageOf } from '../agent-error.ts';
import { loadConfig, loadManaged } from '../config.ts';
import type { Platform } from '../i18n/state-words.ts';
import { connectToSeat, connectToService, isSeatThere } from '../ipc/client.ts';
import { openFaceUpdates } from '../update/face-updates.ts';
import { createPages, SCHEME } from './app-pages.ts';
import { busPath, watchTray } from './dbus/status-notifier.ts';
import { type DesktopEnvironment, readDesktopEnvironment } from './desktop-environment.ts';
import { servePages, startServiceProcess } from './electron-port.ts';
import { type FaceApp, startFace } from './face.ts';
import { openSettings } from './face-settings.ts';
import { hardenApp, hardenSession } from './harden.ts';
import { createNetworkName } from './network-name.ts';
import { HIDDEN_FLAG, linuxStart, type StartAtLogin, systemStart } from './start-at-login.ts';

const { app } = electron;
/** Somebody else keeps the service running, a system's unit for instance: this program only looks for it. */
const ATTACH_FLAG = '--attach';
/** In memory only: nothing that a page shows is cached on disk. */
const PARTITION = 'face';
const log = (text: string): void => void process.stderr.write(`${printable(text)}\n`);

/** A package holds the service beside its archive: a Node of its own cannot look into that. */
const serviceFolder = (): string => (app.isPackaged ? join(process.resourcesPath, 'service') : join(__dirname, '..'));

function startAtLogin(desktop: DesktopEnvironment): StartAtLogin {
  // A checkout is no application by itself: Electron is told which.
  const args = app.isPackaged ? [] : [app.getAppPath()];
  if (process.platform !== 'linux') return systemStart(app, args);
  const program = desktop.appImage ?? process.execPath;
  return linuxStart({ configDir: app.getPath('appData'), systemDir: '/etc/xdg', program, args });
}

function wasHidden(): boolean {
  if (process.argv.includes(HIDDEN_FLAG)) return true;
  return process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin;
}

/** Undefined where this version gives way to the one before it. */
async function start(): Promise<FaceApp | undefined> {
  const config = loadConfig();
  const { stateDir } = config;
  const isAttached = process.argv.includes(ATTACH_FLAG);
  const seatSocket = isAttached ? undefined : config.seatSocket;
  const desktop = readDesktopEnvironment();
  const session = electron.session.fromPartition(PARTITION);
  hardenSession(session);
  hardenSession(electron.session.defaultSession);
  servePages(session.protocol, SCHEME, createPages(join(__dirname, 'renderer')));
  if (process.platform === 'darwin') app.dock?.hide();
  electron.Menu.setApplicationMenu(
    process.platform === 'darwin' ? electron.Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }]) : null,
  );
  const bus = busPath(desktop.bus, desktop.runtimeDir);
  const updates = await openFaceUpdates({
    app,
    folder: __dirname,
    stateDir,
    loadNative: (file) => createRequire(__filename)(join(serviceFolder(), file)),
    appImage: desktop.appImage,
    isManaged: loadManaged()?.updates === 'tell',
    onUpdate: (update) => face.update(update),
    onRequest: (request) => face.sent(request),
    log,
  });
  if (await updates.trial.begin()) return undefined;
  const face = await startFace({
    electron,
    folder: __dirname,
    partition: PARTITION,
    platform: process.platform as Platform,
    desktop: desktop.desktop,
    settings: await openSettings(join(app.getPath('userData'), 'face.json'), startAtLogin(desktop)),
    // Beside a service of the machine nobody has one of their own: each network would be measured twice.
    connect: () => (isSeatThere(seatSocket) ? connectToSeat(seatSocket, 'window') : connectToService(stateDir, 'window')),
    start:
      isAttached || isSeatThere(seatSocket)
        ? undefined
        : () =>
            startServiceProcess(electron, {
              program: join(serviceFolder(), 'svc-agent.mjs'),
              args: ['run', '--window'],
              node: desktop.node,
              env: desktop.all,
            }),
    // Whoever manages a device wants it seen; its person may pause and decline all the same.
    mayQuit: loadManaged() === undefined,
    watchTray: bus === undefined ? undefined : (onChange) => watchTray(bus, onChange),
    networkName: createNetworkName(process.platform, serviceFolder(), createRequire(__filename)),
    restartForUpdate: () => void updates.restart(),
    onWorking: () => void updates.trial.reportHealthy().catch((error) => log(messageOf(error))),
    log,
  });
  updates.start();
  return face;
}

/** Everything that has to stand before Electron is ready, then the face. */
async function main(): Promise<void> {
  app.setName('Network check');
  app.setPath('userData', join(app.getPath('appData'), 'svc-agent'));
  if (process.platform === 'win32') app.setAppUserModelId('org.network-observability.agent');
  if (!app.requestSingleInstanceLock()) return app.quit();
  electron.protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges: { standard: true, secure: true } }]);
  // As root Chromium has no sandbox, and says so by refusing to start without the switch.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
  hardenApp(electron);
  let face: FaceApp | undefined;
  // The launcher's entry, or a second start: the window comes to the front.
  app.on('second-instance', () => face?.open(null));
  app.on('activate', () => face?.open(null));
  // The tray stays when the window goes.
  app.on('window-all-closed', () => undefined);
  let stopping = false;
  // The service first: what it measured last is put where it is kept.
  app.on('before-quit', (event) => {
    if (!face) return;
    event.preventDefault();
    if (stopping) return;
    stopping = true;
    // A second quit() hangs where the first one came by a signal; this way "quit" is told all the same.
    void face.stop().finally(() => app.exit(0));
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => app.quit());
  // Started by npm start: when that is gone, even by kill -9, the channel to it closes.
  if (process.connected) process.once('disconnect', () => app.quit());
  await app.whenReady();
  face = await start();
  if (!wasHidden()) face?.open(null);
}

main().catch((error) => {
  log(messageOf(error));
  electron.dialog.showErrorBox('Network check', messageOf(error));
  app.exit(2);
});
