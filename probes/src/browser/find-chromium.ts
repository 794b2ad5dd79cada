import { existsSync } from 'node:fs';

/** Debian's and Ubuntu's, then Google's own. */
const KNOWN = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome-stable', '/opt/google/chrome/chrome'];

/** The one that is named, whether it is there or not; else the first that is. */
export const findChromium = (named?: string): string | undefined => named || KNOWN.find((path) => existsSync(path));
