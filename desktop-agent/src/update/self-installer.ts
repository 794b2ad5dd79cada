import type { AppUpdater } from 'electron-updater';
import { messageOf } from '../agent-error.ts';
import { fetchFile, type ReleaseServer } from './release-server.ts';
import { UpdateFault } from './update-fault.ts';
import type { VerifiedFeed } from './verify-feed.ts';

/** electron-updater's updater of one system. */
export type SelfUpdater = AppUpdater;

export interface SelfInstaller {
  /** Downloads and checks the file of a verified feed that this system takes. Throws UpdateFault; then `install` puts it in place. */
  download(source: { server: ReleaseServer; ring: string }, verified: VerifiedFeed): Promise<void>;
  /** Ends this program and starts the downloaded one. False where that did not even begin. */
  install(): boolean;
}

/** What electron-updater asks of its `httpExecutor`. */
interface Executor {
  request(options: { path?: string | null }): Promise<string>;
  download(url: URL, destination: string): Promise<string>;
}

/**
 * Stands between electron-updater and the network: its feed is the text that was verified, not what a second request may bring, and a
 * file comes over the connection that the enrolment's pin proves, with the size and hash that were signed.
 */
function createVerifiedExecutor(server: ReleaseServer, { text, feed }: VerifiedFeed): Executor {
  return {
    async request({ path }) {
      if (!new URL(path ?? '/', server.url).pathname.endsWith(`/${feed.feed}`))
        throw new UpdateFault('bad_feed', `${path} is not the feed that was verified.`);
      return text;
    },
    async download(url, destination) {
      const file = feed.files.find((one) => url.pathname.endsWith(`/${one.url}`));
      if (!file) throw new UpdateFault('no_file', `${url.pathname} is no file of the feed that was verified.`);
      await fetchFile(server, url.pathname, { sha512: file.sha512, size: file.size, destination });
      return destination;
    },
  };
}

function asFault(error: unknown): UpdateFault {
  if (error instanceof UpdateFault) return error;
  const isFull = /^(ENOSPC|EDQUOT)$/.test((error as NodeJS.ErrnoException).code ?? '');
  return new UpdateFault(isFull ? 'disk_full' : 'not_installed', messageOf(error), { cause: error });
}

export function createSelfInstaller(updater: SelfUpdater): SelfInstaller {
  updater.autoDownload = false;
  // The person decides when their work is interrupted; a quit by itself installs what waits.
  updater.autoInstallOnAppQuit = true;
  // Block maps are not signed: a whole file is what the feed's hash speaks of.
  updater.disableDifferentialDownload = true;
  updater.disableWebInstaller = true;
  updater.logger = null;
  let fault: unknown;
  // Without a listener an `error` event would end the program.
  updater.on('error', (error) => {
    fault = error;
  });
  return {
    async download({ server, ring }, verified) {
      Object.assign(updater, { httpExecutor: createVerifiedExecutor(server, verified) });
      // Never `channel`: its setter permits downgrades.
      updater.setFeedURL({ provider: 'generic', url: `${server.url}/agent/releases/${ring}`, useMultipleRangeRequest: false });
      updater.allowDowngrade = verified.step === 'rollback';
      try {
        const found = await updater.checkForUpdates();
        if (!found?.isUpdateAvailable) throw new UpdateFault('not_installed', 'This program cannot replace itself here.');
        await updater.downloadUpdate();
      } catch (error) {
        throw asFault(error);
      }
    },
    install() {
      fault = undefined;
      updater.quitAndInstall(true, true);
      return fault === undefined;
    },
  };
}
