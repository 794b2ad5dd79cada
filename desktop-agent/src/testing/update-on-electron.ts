import { app } from 'electron';
import { autoUpdater } from 'electron-updater';
import { createUpdates, type UpdateSource } from '../update/updates.ts';

/** For a test: one look for a newer version inside of a real Electron, told as one line of JSON. */
async function main(): Promise<object> {
  const { key, folder, ...source } = JSON.parse(process.argv.at(-1) ?? '') as UpdateSource & { key: string; folder: string };
  await app.whenReady();
  // Nothing is packaged here; electron-updater would refuse.
  autoUpdater.forceDevUpdateConfig = true;
  const updates = createUpdates({
    platform: 'linux',
    arch: 'x64',
    version: '1.0.0',
    pins: { keys: [key], builtAtMs: 0 },
    installedBy: 'self',
    folder,
    source: async () => source,
    updater: () => autoUpdater,
    onUpdate: () => undefined,
    log: () => undefined,
  });
  const outcome = await updates.check().catch((error) => ({ fault: error.code, message: error.message }));
  return { outcome, electron: process.versions.electron, node: process.versions.node };
}

main()
  .catch((error) => ({ failed: String(error) }))
  .then((said) => {
    process.stdout.write(`${JSON.stringify(said)}\n`, () => app.exit(0));
  });
