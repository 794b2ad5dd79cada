import { access, readdir } from 'node:fs/promises';
import { dirname } from 'node:path';

export type InstalledBy = 'repository' | 'mdm' | 'self' | 'checkout';

export interface Installation {
  platform: NodeJS.Platform;
  /** Electron's `app.isPackaged`. */
  isPackaged: boolean;
  /** Of the program that runs. */
  execPath: string;
  /** Where an AppImage lies: its runtime names it as `APPIMAGE`. */
  appImage: string | undefined;
  /** `updates: "tell"` of the managed configuration. */
  isManaged: boolean;
}

const PACKAGE_RECEIPT = '/var/db/receipts/org.network-observability.agent.plist';

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** An nsis installation holds its own uninstaller; one by msi does not. */
async function hasUninstaller(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => /^Uninstall .*\.exe$/i.test(name));
}

/** Who replaces this program by a newer one. Where it cannot be told, the program does not: it only tells. */
export async function findInstalledBy(installation: Installation): Promise<InstalledBy> {
  const { platform, isPackaged, execPath, appImage, isManaged } = installation;
  if (!isPackaged) return 'checkout';
  if (isManaged) return 'mdm';
  if (platform === 'linux') return appImage === undefined || appImage === '' ? 'repository' : 'self';
  if (platform === 'win32') return (await hasUninstaller(dirname(execPath))) ? 'self' : 'mdm';
  return (await exists(PACKAGE_RECEIPT)) ? 'mdm' : 'self';
}
