import {
  parseReleaseFeed,
  RELEASE_BOUNDS,
  RELEASE_FEEDS,
  type ReleaseFeed,
  type ReleaseFeedName,
} from '@svc/contracts/releases/release-feed';
import type { Ring } from '@svc/contracts/releases/rings';
import { z } from 'zod';
import { AppError } from '#kernel';
import type { ReleaseBlobs } from './context.ts';

/** A feed and its signature in one blob, so that the one is never there without the other. */
const SignedBlob = z.strictObject({ feed: z.string(), signature: z.string() });

export interface SignedFeed {
  feed: ReleaseFeed;
  /** The very bytes that were signed. */
  text: string;
  /** The text of the `.sig` file. */
  signature: string;
  etag: string;
}

const MAX_BLOB = RELEASE_BOUNDS.feedBytes * 2 + RELEASE_BOUNDS.signatureBytes * 2;

/** In force in a ring. */
export const ringKey = (ring: Ring, name: ReleaseFeedName): string => `releases/rings/${ring}/${name}.json`;
/** As it was first accepted: what promotion and rollback make theirs from. */
export const versionKey = (version: string, name: ReleaseFeedName): string => `releases/versions/${version}/${name}.json`;
export const artefactKey = (version: string, name: string): string => `releases/files/${version}/${name}`;

/** What is kept under a key; AppError `internal` where it is no feed, which none of our verbs writes. */
export async function readSigned(blobs: ReleaseBlobs, key: string): Promise<SignedFeed | undefined> {
  const found = await blobs.open(key);
  if (!found) return undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of found.body) chunks.push(chunk as Buffer);
  try {
    const { feed: text, signature } = SignedBlob.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    const feed = parseReleaseFeed(new TextEncoder().encode(text));
    if (feed) return { feed, text, signature, etag: found.info.etag };
  } catch (cause) {
    throw new AppError('internal', `The release kept as ${key} is damaged.`, { cause });
  }
  throw new AppError('internal', `The release kept as ${key} is damaged.`);
}

export async function writeSigned(blobs: ReleaseBlobs, key: string, signed: { text: string; signature: string }): Promise<void> {
  const body = Buffer.from(
    JSON.stringify({ feed: signed.text, signature: signed.signature } satisfies z.infer<typeof SignedBlob>),
  );
  await blobs.put(key, [body], { maxBytes: MAX_BLOB });
}

/** The feeds in force in a ring, by name. */
export async function readRing(blobs: ReleaseBlobs, ring: Ring): Promise<Map<ReleaseFeedName, SignedFeed>> {
  const found = new Map<ReleaseFeedName, SignedFeed>();
  for (const name of RELEASE_FEEDS) {
    const signed = await readSigned(blobs, ringKey(ring, name));
    if (signed) found.set(name, signed);
  }
  return found;
}
