import { join } from 'node:path';
import type { App } from 'electron';
import { autoUpdater } from 'electron-updater';
import { openControlPlaneFacts } from '../identity/control-plane-facts.ts';
import { createIdentityStore } from '../identity/identity-store.ts';
import { openKeptFile } from '../kept-file.ts';
import { findInstalledBy } from './installed-by.ts';
import { readReleasePins } from './release-pins.ts';
import { createUpdates, type Updates, type UpdatesDeps } from './updates.ts';

export interface FaceUpdatesDeps extends Pick<UpdatesDeps, 'onUpdate' | 'log'> {
  app: App;
  /** Where main.cjs lies, and beside it what the package pins. */
  folder: string;
  /** The state directory of the service that belongs to this person. */
  stateDir: string;
  /** Where an AppImage lies. */
  appImage: string | undefined;
  /** The managed configuration says that management replaces the program. */
  isManaged: boolean;
}

/** Server and ring of the service's own identity; its ring of now goes before the one of the enrolment. */
const createSource = (stateDir: string): UpdatesDeps['source'] => {
  const store = createIdentityStore(join(stateDir, 'identity'));
  return async () => {
    // A directory of another user is one of a service that this program does not hold.
    const held = await store.load().catch(() => undefined);
    if (!held) return undefined;
    const { server, pin, ring } = held.identity;
    const { ring: now } = await openControlPlaneFacts(openKeptFile(join(stateDir, 'control-plane.json')));
    return { server: { url: server, pin }, ring: now ?? ring };
  };
};

/** The updates of this very program. Begin with `start()`. */
export async function openFaceUpdates(deps: FaceUpdatesDeps): Promise<Updates> {
  const { app, folder, stateDir, appImage, isManaged, onUpdate, log } = deps;
  const { platform, arch, execPath } = process;
  const updates = createUpdates({
    platform,
    arch,
    version: app.getVersion(),
    pins: await readReleasePins(folder),
    installedBy: await findInstalledBy({ platform, isPackaged: app.isPackaged, execPath, appImage, isManaged }),
    folder: app.getPath('userData'),
    source: createSource(stateDir),
    updater: () => autoUpdater,
    onUpdate,
    log,
  });
  return {
    ...updates,
    restart() {
      // The new one starts while this one still says goodbye, and would take itself for a second instance.
      if (updates.waiting()?.how === 'restart') app.releaseSingleInstanceLock();
      return updates.restart();
    },
  };
}
