import { join } from 'node:path';
import type { NativeImage, Tray } from 'electron';
import { type IconState, trayWords } from '../i18n/state-words.ts';
import type { Electron } from './electron.ts';
import { isPanelDark } from './electron-port.ts';
import { type MenuActions, type MenuView, menuText, trayMenu } from './tray-menu.ts';

export interface FaceTray {
  update(view: MenuView): void;
  /** Puts the icon up anew: a panel that starts after us does not ask for those that were there before. */
  renew(): void;
  /** Where the icon is, in screen pixels; undefined where the system does not say. */
  bounds(): { x: number; y: number; width: number; height: number } | undefined;
  close(): void;
}

export interface TrayDeps {
  electron: Pick<Electron, 'Menu' | 'Tray' | 'nativeImage' | 'nativeTheme'>;
  iconDir: string;
  /** `XDG_CURRENT_DESKTOP` */
  desktop: string;
  actions: MenuActions;
}

const SIZES = { linux: 22, darwin: 16, win32: 16 } as const;
/** GNOME's and Unity's bars are dark whatever the applications are. */
const ALWAYS_DARK = /gnome|unity/i;

function iconFor({ electron, iconDir, desktop }: TrayDeps, icon: IconState, platform: MenuView['platform']): NativeImage {
  const dark = platform === 'linux' && ALWAYS_DARK.test(desktop) ? true : isPanelDark(electron);
  const panel = platform === 'darwin' ? 'template' : dark ? 'dark' : 'light';
  const image = electron.nativeImage.createFromPath(join(iconDir, `tray-${icon}-${panel}-${SIZES[platform]}.png`));
  if (platform === 'darwin') image.setTemplateImage(true);
  return image;
}

export function createTray(deps: TrayDeps, first: MenuView): FaceTray {
  const { electron, actions } = deps;
  let view = first;
  let shown = '';
  let icon: IconState | undefined;
  let dark: boolean | undefined;
  const create = (): Tray => {
    const made = new electron.Tray(iconFor(deps, trayWords(view.words, view.face, view).icon, view.platform));
    // On macOS a click opens the menu by itself.
    if (view.platform !== 'darwin') made.on('click', () => actions.open('now'));
    shown = '';
    icon = undefined;
    return made;
  };
  let tray = create();

  const draw = (): void => {
    const words = trayWords(view.words, view.face, view);
    const nowDark = isPanelDark(electron);
    if (icon !== words.icon || dark !== nowDark) tray.setImage(iconFor(deps, words.icon, view.platform));
    icon = words.icon;
    dark = nowDark;
    tray.setToolTip(words.tooltip);
    const items = trayMenu(view, actions);
    if (menuText(items) === shown) return;
    shown = menuText(items);
    tray.setContextMenu(electron.Menu.buildFromTemplate(items));
  };
  electron.nativeTheme.on('updated', draw);
  draw();
  return {
    update(next) {
      view = next;
      draw();
    },
    renew() {
      tray.destroy();
      tray = create();
      draw();
    },
    bounds() {
      const found = tray.getBounds();
      return found.width > 0 ? found : undefined;
    },
    close() {
      electron.nativeTheme.off('updated', draw);
      tray.destroy();
    },
  };
}
