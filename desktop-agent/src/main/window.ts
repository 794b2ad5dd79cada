import { join } from 'node:path';
import type { BrowserWindow, Input, Rectangle, WebContents } from 'electron';
import { PAGE_URL } from './app-pages.ts';
import type { Electron } from './electron.ts';
import { SAFE_PREFERENCES } from './harden.ts';

export const WINDOW_SIZE = { width: 400, height: 620 } as const;
const MARGIN = 8;
const ZOOMS = [0.75, 1, 1.25, 1.5, 2, 3] as const;
const GROUND = { light: '#ffffff', dark: '#16191e' } as const;

/** Beside the icon, inside the screen: under a bar at the top, over one at the bottom. */
export function placeWindow(icon: Rectangle, area: Rectangle): { x: number; y: number } {
  const middle = icon.x + icon.width / 2 - WINDOW_SIZE.width / 2;
  const right = area.x + area.width - WINDOW_SIZE.width - MARGIN;
  const isTop = icon.y < area.y + area.height / 2;
  return {
    x: Math.round(Math.min(Math.max(middle, area.x + MARGIN), right)),
    y: Math.round(isTop ? area.y + MARGIN : area.y + area.height - WINDOW_SIZE.height - MARGIN),
  };
}

/** The next step of the zoom for a key pressed with Ctrl or Cmd; undefined for every other key. */
export function zoomFor(input: Pick<Input, 'type' | 'control' | 'meta' | 'key'>, now: number): number | undefined {
  if (input.type !== 'keyDown' || !(input.control || input.meta)) return undefined;
  if (input.key === '0') return 1;
  if (input.key === '+' || input.key === '=') return ZOOMS.find((zoom) => zoom > now + 0.01) ?? now;
  if (input.key === '-') return [...ZOOMS].reverse().find((zoom) => zoom < now - 0.01) ?? now;
  return undefined;
}

export interface WindowDeps {
  electron: Pick<Electron, 'BrowserWindow' | 'screen'>;
  preload: string;
  icon: string;
  /** Name of the session that holds the pages; in memory only. */
  partition: string;
  devTools: boolean;
}

export interface WindowLook {
  title: string;
  dark: boolean;
  /** Where the tray's icon is, if the system tells. */
  near: Rectangle | undefined;
}

/** The one window. It exists only while it is open: closing it ends its renderer. */
export interface FaceWindow {
  /** Opens it, or brings it to the front. True: it was made just now. */
  open(look: WindowLook): boolean;
  contents(): WebContents | undefined;
  /** The window for a dialog to stand over. */
  browserWindow(): BrowserWindow | undefined;
  close(): void;
}

function make(deps: WindowDeps, look: WindowLook): BrowserWindow {
  const { BrowserWindow, screen } = deps.electron;
  const place = look.near && placeWindow(look.near, screen.getDisplayMatching(look.near).workArea);
  const made = new BrowserWindow({
    ...WINDOW_SIZE,
    ...place,
    minWidth: 360,
    minHeight: 480,
    frame: false,
    show: false,
    maximizable: false,
    fullscreenable: false,
    title: look.title,
    icon: deps.icon,
    backgroundColor: look.dark ? GROUND.dark : GROUND.light,
    webPreferences: { ...SAFE_PREFERENCES, preload: deps.preload, partition: deps.partition, devTools: deps.devTools },
  });
  made.removeMenu();
  made.once('ready-to-show', () => made.show());
  made.webContents.on('before-input-event', (event, input) => {
    const zoom = zoomFor(input, made.webContents.getZoomFactor());
    if (zoom === undefined) return;
    event.preventDefault();
    made.webContents.setZoomFactor(zoom);
  });
  return made;
}

export function createFaceWindow(deps: WindowDeps): FaceWindow {
  let current: BrowserWindow | undefined;
  return {
    open(look) {
      if (current) {
        if (current.isMinimized()) current.restore();
        current.show();
        current.focus();
        return false;
      }
      const made = make(deps, look);
      current = made;
      made.once('closed', () => {
        if (current === made) current = undefined;
      });
      // A renderer that died shows nothing and never will: the next opening makes a new one.
      made.webContents.once('render-process-gone', () => made.destroy());
      void made.loadURL(PAGE_URL).catch(() => undefined);
      return true;
    },
    contents: () => current?.webContents,
    browserWindow: () => current,
    close: () => current?.close(),
  };
}

export const preloadIn = (folder: string): string => join(folder, 'preload.cjs');
