import { describe, expect, it } from 'vitest';
import { createFakeElectron } from '../testing/fake-electron.ts';
import { hardenContents } from './harden.ts';
import { createFaceWindow, placeWindow, WINDOW_SIZE, zoomFor } from './window.ts';

const screen = { x: 0, y: 25, width: 1440, height: 835 };

describe('the window', () => {
  it('stands beside its icon and never outside of the screen', () => {
    expect(placeWindow({ x: 700, y: 0, width: 24, height: 24 }, screen)).toEqual({ x: 512, y: 33 });
    expect(placeWindow({ x: 1420, y: 0, width: 20, height: 24 }, screen)).toEqual({ x: 1440 - WINDOW_SIZE.width - 8, y: 33 });
    expect(placeWindow({ x: 2, y: 870, width: 20, height: 24 }, screen)).toEqual({ x: 8, y: 860 - WINDOW_SIZE.height - 8 });
  });

  it('grows and shrinks by the keys that every program has for it', () => {
    const press = (key: string, over = {}) => ({ type: 'keyDown', control: true, meta: false, key, ...over }) as const;
    expect(zoomFor(press('+'), 1)).toBe(1.25);
    expect(zoomFor(press('='), 3)).toBe(3);
    expect(zoomFor(press('-'), 1)).toBe(0.75);
    expect(zoomFor(press('0'), 2)).toBe(1);
    expect(zoomFor(press('+', { control: false }), 1)).toBeUndefined();
    expect(zoomFor(press('+', { type: 'keyUp' }), 1)).toBeUndefined();
    expect(zoomFor(press('a'), 1)).toBeUndefined();
  });

  it('is made with everything closed, and its contents refuse to go anywhere', () => {
    const fake = createFakeElectron();
    const window = createFaceWindow({
      electron: fake.electron,
      preload: '/face/preload.cjs',
      icon: '/face/icons/app-128.png',
      partition: 'face',
      devTools: false,
    });
    expect(window.open({ title: 'Network check', dark: true, near: undefined })).toBe(true);
    const [made] = fake.windows;
    expect(made?.options).toMatchObject({ width: 400, height: 620, frame: false, show: false, backgroundColor: '#16191e' });
    expect(made?.options.webPreferences).toEqual({
      preload: '/face/preload.cjs',
      partition: 'face',
      devTools: false,
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
    });
    const contents = made?.webContents;
    if (!contents) throw new Error('no contents');
    hardenContents(contents as never);
    expect(contents.windowOpen?.()).toEqual({ action: 'deny' });
    for (const event of ['will-navigate', 'will-redirect', 'will-frame-navigate', 'will-attach-webview']) {
      let prevented = false;
      contents.emit(event, {
        preventDefault() {
          prevented = true;
        },
      });
      expect(prevented, event).toBe(true);
    }
  });
});
