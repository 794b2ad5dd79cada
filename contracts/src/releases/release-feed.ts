import { z } from 'zod';
import { RINGS } from './rings.ts';

/**
 * The feed of one ring and platform, as the release engineer signed it and as electron-updater's generic provider reads it: the file
 * `<server>/agent/releases/<ring>/<feed>` is canonical JSON (which is YAML too), and `<feed>.sig` beside it holds the signature over
 * its very bytes. Ring, feed, serial and rollback are inside of what is signed, so that a server which was taken over can neither give
 * a ring what was meant for another nor bring back what an agent has left behind. Without the key only the newest feed can be repeated, until it expires.
 */
export const RELEASE_FEEDS = ['latest.yml', 'latest-mac.yml', 'latest-linux.yml', 'latest-linux-arm64.yml'] as const;
export type ReleaseFeedName = (typeof RELEASE_FEEDS)[number];

/** The one algorithm: ECDSA P-256 with SHA-256, the signature as r and s of 32 bytes each (IEEE P1363), base64url. */
export const RELEASE_ALGORITHM = 'ES256';

/** Bounds that a reader keeps to before it parses anything, bytes. */
export const RELEASE_BOUNDS = { feedBytes: 64 * 1024, signatureBytes: 1024, files: 16, artefactBytes: 1024 ** 3 } as const;

const NUMBER = '(?:0|[1-9]\\d{0,8})';
/** A semantic version without build part. */
export const ReleaseVersion = z
  .string()
  .regex(new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-[0-9A-Za-z][0-9A-Za-z.-]{0,31})?$`));

/** A file's own name, and its place below the ring: `files/<version>/<name>`. */
export const ReleaseFileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._ -]{0,127}$/);
export const releaseFilePath = (version: string, name: string): string => `files/${version}/${encodeURIComponent(name)}`;

export const ReleaseFile = z.strictObject({
  /** Relative to the feed's folder, as `releaseFilePath` makes it. */
  url: z.string().regex(/^files\/[0-9A-Za-z.-]{1,64}\/[A-Za-z0-9][A-Za-z0-9._%-]{0,255}$/),
  /** Base64 (with padding) of the file's SHA-512, as electron-updater compares it. */
  sha512: z.string().regex(/^[A-Za-z0-9+/]{86}==$/),
  size: z.int().positive().max(RELEASE_BOUNDS.artefactBytes),
});
export type ReleaseFile = z.infer<typeof ReleaseFile>;

export const ReleaseFeed = z.strictObject({
  version: ReleaseVersion,
  feed: z.enum(RELEASE_FEEDS),
  ring: z.enum(RINGS),
  /** Unix milliseconds of the signing. An agent refuses a feed with a lower serial than the last that it accepted of this ring. */
  serial: z.int().positive(),
  /** True: a lower version than the installed one is meant. An agent takes none otherwise. */
  rollback: z.boolean(),
  /** Lowest protocol of a control plane that this version can speak with; a server below it refuses to publish the version. */
  minProtocol: z.int().nonnegative(),
  releaseDate: z.iso.datetime(),
  /**
   * From then on an agent refuses the feed, so that nobody holds devices back with an old one for longer. Absent in feeds signed before there
   * was an expiry: agents refuse those, a server keeps them to be signed again.
   */
  expiresAt: z.iso.datetime().optional(),
  files: z.array(ReleaseFile).min(1).max(RELEASE_BOUNDS.files),
});
export type ReleaseFeed = z.infer<typeof ReleaseFeed>;

/** `<feed>.sig`, JSON. `keyId` is `releaseKeyId` of the public key: it chooses among the pinned keys and proves nothing. */
export const ReleaseSignature = z.strictObject({
  alg: z.literal(RELEASE_ALGORITHM),
  keyId: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  signature: z.string().regex(/^[A-Za-z0-9_-]{86}$/),
});
export type ReleaseSignature = z.infer<typeof ReleaseSignature>;

/** The very bytes that are signed and served: JSON without white space, keys in order of their code units, UTF-8, no line end. */
export const releaseFeedText = (feed: ReleaseFeed): string =>
  JSON.stringify(ReleaseFeed.parse(feed), (_, value) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );

/** The feed that these bytes are, or null: no JSON, no such shape, or not in canonical form. Check the signature before. */
export function parseReleaseFeed(bytes: Uint8Array): ReleaseFeed | null {
  if (bytes.byteLength > RELEASE_BOUNDS.feedBytes) return null;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const feed = ReleaseFeed.parse(JSON.parse(text));
    return releaseFeedText(feed) === text ? feed : null;
  } catch {
    return null;
  }
}

/** Below 0 where `a` comes before `b` by semantic versioning's precedence. Both must be versions. */
export function compareVersions(a: string, b: string): number {
  const [aNumbers = '', ...aRest] = a.split('-');
  const [bNumbers = '', ...bRest] = b.split('-');
  const byNumbers = compareParts(aNumbers.split('.'), bNumbers.split('.'));
  if (byNumbers !== 0) return byNumbers;
  // A version without a pre-release part comes after those with one.
  if (aRest.length === 0 || bRest.length === 0) return Math.sign(bRest.length - aRest.length);
  return compareParts(aRest.join('-').split('.'), bRest.join('-').split('.'));
}

function compareParts(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const [x, y] = [a[i], b[i]];
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
    if (x === y) continue;
    const [xIsNumber, yIsNumber] = [/^\d+$/.test(x), /^\d+$/.test(y)];
    if (xIsNumber && yIsNumber && Number(x) !== Number(y)) return Number(x) < Number(y) ? -1 : 1;
    if (xIsNumber !== yIsNumber) return xIsNumber ? -1 : 1;
    if (!xIsNumber) return x < y ? -1 : 1;
  }
  return 0;
}
