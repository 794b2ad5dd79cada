import type { ReleaseFeed, ReleaseFeedName, ReleaseFile } from '@svc/contracts/releases/release-feed';

export interface System {
  platform: NodeJS.Platform;
  arch: string;
}

/** The feed as electron-updater names it for a system, or undefined: no release is made for that. */
export function feedNameOf({ platform, arch }: System): ReleaseFeedName | undefined {
  if (platform === 'win32') return arch === 'x64' ? 'latest.yml' : undefined;
  if (platform === 'darwin') return 'latest-mac.yml';
  if (platform !== 'linux') return undefined;
  if (arch === 'x64') return 'latest-linux.yml';
  return arch === 'arm64' ? 'latest-linux-arm64.yml' : undefined;
}

const ENDING: Partial<Record<NodeJS.Platform, string>> = { win32: '.exe', darwin: '.zip', linux: '.AppImage' };

/** What this program replaces itself with; the packages beside it are for repositories and device management. */
export function fileOf({ files }: ReleaseFeed, { platform }: System): ReleaseFile | undefined {
  const ending = ENDING[platform];
  return ending === undefined ? undefined : files.find(({ url }) => url.endsWith(ending));
}
