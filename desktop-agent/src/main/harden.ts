import type { Session, WebContents, WebPreferences } from 'electron';
import { SCHEME } from './app-pages.ts';
import type { Electron } from './electron.ts';

/** What every window of ours is made with. */
export const SAFE_PREFERENCES = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  webviewTag: false,
  navigateOnDragDrop: false,
  spellcheck: false,
  safeDialogs: true,
  enableWebSQL: false,
} as const satisfies WebPreferences;

/** No window beside ours, no way off its page, no frame or view inside of it. */
export function hardenContents(contents: WebContents): void {
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  contents.on('will-navigate', (event) => event.preventDefault());
  contents.on('will-redirect', (event) => event.preventDefault());
  // Of frames too; from Electron 25 on, and before it the page's policy allows no frame.
  contents.on('will-frame-navigate', (event) => event.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
}

/** No permission, no device, no request but for our own pages. */
export function hardenSession(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.setSpellCheckerEnabled(false);
  session.webRequest.onBeforeRequest((request, answer) => {
    const ours = request.url.startsWith(`${SCHEME}://`) || request.url.startsWith('devtools://');
    answer({ cancel: !ours });
  });
  session.on('will-download', (event) => event.preventDefault());
}

/** Whatever contents come to be, by whichever way, they are closed in. Call it before the first window. */
export function hardenApp({ app }: Pick<Electron, 'app'>): void {
  app.on('web-contents-created', (_event, contents) => hardenContents(contents));
}
