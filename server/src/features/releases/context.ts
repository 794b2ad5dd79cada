import type { KeyObject } from 'node:crypto';
import type { BlobStore } from '#blobs';
import type { Clock } from '#kernel';

/** What this slice needs of the blob store. */
export type ReleaseBlobs = Pick<BlobStore, 'put' | 'stat' | 'open' | 'list'>;

/** What leaves an entry in the trail of every tenant: a release reaches the devices of all of them. */
export interface ReleaseAction {
  action: 'release.publish' | 'release.promote' | 'release.rollback' | 'release.renew';
  version: string;
  ring: string;
  feeds: number;
}

export interface ReleaseDeps {
  blobs: ReleaseBlobs;
  clock: Clock;
  /** Keys that releases are checked with before they are taken. */
  publicKeys: readonly KeyObject[];
  /** The server's protocol version; a release that needs a newer one is refused. */
  protocol?: number;
}

/** What the command line gives beside, where releases are changed. */
export interface ReleaseWriteDeps extends ReleaseDeps {
  audit: (action: ReleaseAction) => Promise<void>;
  /** Runs `work` while nobody else publishes; AppError `conflict` while somebody does. */
  alone: <T>(work: () => Promise<T>) => Promise<T>;
}
