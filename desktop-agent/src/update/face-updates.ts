import { dirname, join } from 'node:path';
import type { App } from 'electron';
import { autoUpdater } from 'electron-updater';
import { openControlPlaneFacts } from '../identity/control-plane-facts.ts';
import { createIdentityStore } from '../identity/identity-store.ts';
import { openKeptFile } from '../kept-file.ts';
import { findInstalledBy } from './installed-by.ts';
import { createProgramCopy, type ProgramCopy, type ProgramPlace, placeOf } from './program-copy.ts';
import { readReleasePins } from './release-pins.ts';
import { createTrial, type Trial } from './trial.ts';
import { createUpdates, type Updates, type UpdatesDeps } from './updates.ts';

export interface FaceUpdatesDeps extends Pick<UpdatesDeps, 'onUpdate' | 'log'> {
  app: App;
  /** Each request to the control plane, just before it leaves. */
  onRequest(request: { server: string; path: string; atMs: number }): void;
  /** Where main.cjs lies, and beside it what the package pins. */
  folder: string;
  /** The state directory of the service that belongs to this person. */
  stateDir: string;
  /** Exports of a native part beside the service: this program's own archive holds none. */
  loadNative(file: string): unknown;
  /** Where an AppImage lies. */
  appImage: string | undefined;
  /** The managed configuration says that management replaces the program. */
  isManaged: boolean;
}

/** Server and ring of the service's own identity; its ring of now goes before the one of the enrolment. */
const createSource = (stateDir: string, onRequest: FaceUpdatesDeps['onRequest']): UpdatesDeps['source'] => {
  const store = createIdentityStore(join(stateDir, 'identity'));
  return async () => {
    // A directory of another user is one of a service that this program does not hold.
    const held = await store.load().catch(() => undefined);
    if (!held) return undefined;
    const { server, pin, ring } = held.identity;
    const { ring: now } = await openControlPlaneFacts(openKeptFile(join(stateDir, 'control-plane.json')));
    const note = (path: string): void => onRequest({ server, path, atMs: Date.now() });
    return { server: { url: server, pin, onRequest: note }, ring: now ?? ring };
  };
};

/** What an update replaces as one piece: the AppImage, or the bundle on a Mac. Windows replaces no folder whose program runs. */
function copyOf(deps: FaceUpdatesDeps, folder: string): ProgramCopy | undefined {
  const program = programOf(deps);
  if (program === undefined) return undefined;
  return createProgramCopy({ program: placeOf(program), folder: join(folder, 'earlier-version'), exchange: exchangeOf(deps) });
}

/** Loaded where it is needed, which is once in the life of few programs. */
function exchangeOf({ loadNative }: FaceUpdatesDeps): ProgramPlace['exchange'] {
  return (one, other) => {
    try {
      const { createExchange } = loadNative('exchange.cjs') as { createExchange(): (one: string, other: string) => boolean };
      return createExchange()(one, other);
    } catch {
      // A service of before, or one without its native part.
      return false;
    }
  };
}

function programOf({ appImage }: FaceUpdatesDeps): string | undefined {
  if (process.platform === 'linux') return appImage;
  // Network check.app/Contents/MacOS/Network check
  return process.platform === 'darwin' ? dirname(dirname(dirname(process.execPath))) : undefined;
}

export interface FaceUpdates extends Updates {
  trial: Trial;
}

/** The updates of this very program. `trial.begin()` first of all, then `start()`. */
export async function openFaceUpdates(deps: FaceUpdatesDeps): Promise<FaceUpdates> {
  const { app, folder, stateDir, appImage, isManaged, onUpdate, onRequest, log } = deps;
  const { platform, arch, execPath } = process;
  const installedBy = await findInstalledBy({ platform, isPackaged: app.isPackaged, execPath, appImage, isManaged });
  const userData = app.getPath('userData');
  const trial = createTrial({
    file: openKeptFile(join(userData, 'update-trial.json')),
    copy: installedBy === 'self' ? copyOf(deps, userData) : undefined,
    version: app.getVersion(),
    relaunch() {
      app.relaunch(appImage === undefined ? {} : { execPath: appImage, args: process.argv.slice(1) });
      app.quit();
    },
    log,
  });
  const updates = createUpdates({
    platform,
    arch,
    version: app.getVersion(),
    pins: await readReleasePins(folder),
    installedBy,
    folder: userData,
    source: createSource(stateDir, onRequest),
    updater: () => autoUpdater,
    onUpdate,
    trial,
    log,
  });
  return {
    ...updates,
    trial,
    stop() {
      trial.stop();
      updates.stop();
    },
    restart() {
      // The new one starts while this one still says goodbye, and would take itself for a second instance.
      if (updates.waiting()?.how === 'restart') app.releaseSingleInstanceLock();
      return updates.restart();
    },
  };
}
