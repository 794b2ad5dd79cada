import { EventEmitter } from 'node:events';
import type { BrowserWindowConstructorOptions, MenuItemConstructorOptions } from 'electron';
import type { Electron } from '../main/electron.ts';

/** Contents of a window, and the frame that a call of its page comes from. */
export class FakeContents extends EventEmitter {
  url = '';
  sent: { event: string; value: unknown }[] = [];
  destroyed = false;
  windowOpen: (() => { action: string }) | undefined;
  zoom = 1;
  getURL = (): string => this.url;
  isDestroyed = (): boolean => this.destroyed;
  send = (_channel: string, event: string, value: unknown): void => void this.sent.push({ event, value });
  setWindowOpenHandler = (handler: () => { action: string }): void => {
    this.windowOpen = handler;
  };
  getZoomFactor = (): number => this.zoom;
  setZoomFactor = (zoom: number): void => {
    this.zoom = zoom;
  };
}

export class FakeWindow extends EventEmitter {
  webContents = new FakeContents();
  options: BrowserWindowConstructorOptions;
  shown = 0;
  constructor(options: BrowserWindowConstructorOptions) {
    super();
    this.options = options;
  }
  async loadURL(url: string): Promise<void> {
    this.webContents.url = url;
  }
  show = (): void => {
    this.shown += 1;
  };
  focus = (): void => undefined;
  restore = (): void => undefined;
  removeMenu = (): void => undefined;
  isMinimized = (): boolean => false;
  close = (): void => this.destroy();
  destroy(): void {
    this.webContents.destroyed = true;
    this.emit('closed');
  }
}

export class FakeTray extends EventEmitter {
  image: string;
  tooltip = '';
  menu: MenuItemConstructorOptions[] = [];
  menus = 0;
  destroyed = false;
  constructor(image: { path: string }) {
    super();
    this.image = image.path;
  }
  setImage = (image: { path: string }): void => {
    this.image = image.path;
  };
  setToolTip = (text: string): void => {
    this.tooltip = text;
  };
  setContextMenu = (menu: MenuItemConstructorOptions[]): void => {
    this.menu = menu;
    this.menus += 1;
  };
  getBounds = () => ({ x: 0, y: 0, width: 0, height: 0 });
  destroy = (): void => {
    this.destroyed = true;
  };
}

export class FakeNotice extends EventEmitter {
  static isSupported = (): boolean => true;
  title: string;
  body: string;
  constructor({ title, body }: { title: string; body: string }) {
    super();
    this.title = title;
    this.body = body;
  }
  show = (): void => undefined;
}

/** What a caller of `ipcMain.handle` registered. */
export type Handler = (event: unknown, ...args: unknown[]) => Promise<unknown>;

/** An Electron that does nothing but remember. Its parts are those that the main process uses; types keep it whole. */
export function createFakeElectron() {
  const windows: FakeWindow[] = [];
  const trays: FakeTray[] = [];
  const notices: FakeNotice[] = [];
  const handlers = new Map<string, Handler>();
  const powerMonitor = Object.assign(new EventEmitter(), { isOnBatteryPower: () => false });
  const nativeTheme = Object.assign(new EventEmitter(), { shouldUseDarkColors: false });
  const clipboard = {
    text: '',
    writeText(text: string) {
      clipboard.text = text;
    },
  };
  let quits = 0;
  const parts: { [K in keyof Electron]?: unknown } = {
    app: Object.assign(new EventEmitter(), {
      isPackaged: true,
      quit: () => {
        quits += 1;
      },
      getPath: (name: string) => `/fake/${name}`,
      getPreferredSystemLanguages: () => ['en-GB'],
      getAppMetrics: () => [{ memory: { workingSetSize: 60_000 } }],
    }),
    BrowserWindow: class extends FakeWindow {
      constructor(options: BrowserWindowConstructorOptions) {
        super(options);
        windows.push(this);
      }
    },
    Tray: class extends FakeTray {
      constructor(image: { path: string }) {
        super(image);
        trays.push(this);
      }
    },
    Notification: class extends FakeNotice {
      constructor(text: { title: string; body: string }) {
        super(text);
        notices.push(this);
      }
    },
    Menu: { buildFromTemplate: (template: MenuItemConstructorOptions[]) => template },
    nativeImage: { createFromPath: (path: string) => ({ path, setTemplateImage: () => undefined }) },
    ipcMain: {
      handle: (channel: string, handler: Handler) => void handlers.set(channel, handler),
      removeHandler: (channel: string) => void handlers.delete(channel),
    },
    session: { defaultSession: { resolveProxy: async (url: string) => `PROXY proxy.example:3128; for ${url}` } },
    dialog: { showSaveDialog: async () => ({ canceled: true }) },
    screen: {},
    protocol: {},
    utilityProcess: {},
    clipboard,
    nativeTheme,
    powerMonitor,
  };
  return {
    electron: parts as unknown as Electron,
    windows,
    trays,
    notices,
    handlers,
    powerMonitor,
    nativeTheme,
    clipboard,
    quits: () => quits,
  };
}
