import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DesktopView, type FaceSettings, HANDED_ON, type HandedOn, type WindowValue } from '@svc/contracts/agent/window-ipc';
import { IpcFault } from '../ipc/ipc-fault.ts';
import type { Electron } from './electron.ts';
import type { SettingsStore } from './face-settings.ts';
import type { OwnMemory } from './own-memory.ts';
import type { ServiceConnection } from './service-link.ts';
import type { FaceWindow } from './window.ts';
import type { Answers } from './window-ipc.ts';

export interface AnswersDeps {
  electron: Pick<Electron, 'app' | 'clipboard' | 'dialog'>;
  platform: DesktopView['platform'];
  settings: SettingsStore;
  service(): ServiceConnection;
  hasTray(): boolean;
  /** The page that was asked for, once. */
  takePage(): WindowValue<'openPage'> | null;
  update(): WindowValue<'update'> | null;
  window: FaceWindow;
  onSettings(settings: FaceSettings): void;
  restartForUpdate(): void;
  memory: OwnMemory;
}

type Handed = Pick<Answers, HandedOn>;

/** A call of the service, its refusal as a code: an error's text may hold what a page need not know. */
async function handOn(service: ServiceConnection, name: HandedOn, input: unknown): Promise<unknown> {
  const client = service.client();
  if (!client) return { ok: false, code: 'unreachable' };
  try {
    return { ok: true, output: await client.call(name, input as never) };
  } catch (error) {
    return { ok: false, code: error instanceof IpcFault ? error.code : 'unreachable' };
  }
}

async function saveFile({ electron, window }: AnswersDeps, name: string, text: string): Promise<boolean> {
  const { app, dialog } = electron;
  const over = window.browserWindow();
  const options = { defaultPath: join(app.getPath('documents'), name), showsTagField: false };
  const { canceled, filePath } = await (over ? dialog.showSaveDialog(over, options) : dialog.showSaveDialog(options));
  if (canceled || !filePath) return false;
  // It holds what was measured of a person: theirs alone until they pass it on.
  return await writeFile(filePath, text, { mode: 0o600 }).then(
    () => true,
    () => false,
  );
}

/** What the window's calls do. */
export function createAnswers(deps: AnswersDeps): Answers {
  const { electron, settings } = deps;
  const handed = Object.fromEntries(
    HANDED_ON.map((name) => [name, (input: unknown) => handOn(deps.service(), name, input)]),
  ) as unknown as Handed;
  return {
    ...handed,
    open() {
      return {
        service: deps.service().current(),
        settings: settings.current(),
        desktop: {
          platform: deps.platform,
          languages: electron.app.getPreferredSystemLanguages().slice(0, 32),
          tray: deps.hasTray(),
          // The service has to find its key without anybody signed in, so no key store of a person's can hold it.
          keyStore: 'file',
        },
        page: deps.takePage(),
        update: deps.update(),
      };
    },
    async setSettings(change) {
      const next = await settings.change(change);
      deps.onSettings(next);
      return next;
    },
    saveFile: ({ name, text }) => saveFile(deps, name, text),
    copy({ text }) {
      electron.clipboard.writeText(text);
      return true;
    },
    restartForUpdate() {
      if (deps.update()?.how === 'restart') deps.restartForUpdate();
      return {};
    },
    ownMemory: deps.memory.read,
    closeWindow() {
      deps.window.close();
      return {};
    },
  };
}
