import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');

/** Debian's Chromium where it is there; else the one that Playwright downloaded. */
export const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));

/** The environment of a product started by the tests: ours, without settings of whoever runs them. */
export const cleanEnv = (extra: Record<string, string>): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))),
  ...extra,
});

/** Where the programs of this machine are, those of a folder before them, and nothing else that is set here. */
export const bareEnv = (folder: string): NodeJS.ProcessEnv => ({ PATH: `${folder}:${process.env.PATH ?? ''}`, HOME: folder });

/** True in the long lane, which runs the attacks that the short choice leaves out. */
export const runsLongAttacks = process.env.SVC_TEST_ATTACKS === 'long';

const crawlPart = /^([1-9])\/([1-9])$/.exec(process.env.SVC_TEST_CRAWL ?? '');
/** In the long lane the crawler walks all combinations and not only a choice that holds every pair of them: of so many parts, this one. */
export const wholeCrawl = crawlPart ? { part: Number(crawlPart[1]) - 1, parts: Number(crawlPart[2]) } : undefined;

/** True in the long lane, where Lighthouse looks at every page. */
export const reviewsEveryPage = process.env.SVC_TEST_LIGHTHOUSE === 'all';

/** True in the long lane, where what people do in a large fleet is measured. */
export const measuresInteractions = process.env.SVC_TEST_INTERACTIONS === '1';

/** True in the long lane, where users and tests of one site go through all four verdicts, each judged once a minute. */
export const followsUsers = process.env.SVC_TEST_USERS === '1';

/** True where one file is tried once more by itself: it then waits for no tests of other files but those that sign in. */
export const runsOneFile = process.env.SVC_TEST_ALONE === '1';
