// Lists releases/ for the server, which serves each of them by its hash for ever: a page that names one must not break by an upgrade.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readReleases } from './releases.js';

const folder = join(import.meta.dirname, 'generated');
const releases = readReleases();
const rows = releases.map((one) => `  ${JSON.stringify(one)},\n`).join('');
mkdirSync(folder, { recursive: true });
writeFileSync(
  join(folder, 'releases.ts'),
  `// Written by generate.js from releases/.

/** One released build of the browser SDK: the text of /rum.<hash>.js and what a snippet says of it. */
export interface RumRelease {
  readonly version: string;
  /** The first 16 digits of the SHA-256 of the text, in hex. */
  readonly hash: string;
  /** For the attribute integrity. */
  readonly integrity: string;
  readonly text: string;
}

/** The oldest first. */
export const RUM_RELEASES: readonly RumRelease[] = [
${rows}];

/** What /rum.js serves and new snippets name. */
export const NEWEST_RUM_RELEASE: RumRelease = ${JSON.stringify(releases.at(-1))};
`,
);
