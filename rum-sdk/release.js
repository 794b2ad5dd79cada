// Keeps what the source builds now as the release of the version in package.json. A released file never changes: its hash stands in pages.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildScript, version } from './compile.js';
import { releasesFolder } from './releases.js';
import { findWeight, MOST_BYTES } from './weigh.js';

const file = join(releasesFolder, `${version}.js`);
const text = await buildScript();
if (findWeight(text).bytes > MOST_BYTES) {
  console.error(`rum.js may have ${MOST_BYTES} bytes at most.`);
  process.exitCode = 1;
} else if (!existsSync(file)) {
  writeFileSync(file, text);
  console.log(`releases/${version}.js is written: commit it.`);
} else if (readFileSync(file, 'utf8') !== text) {
  console.error(`${version} is released already and the source builds something else: raise the version in package.json.`);
  process.exitCode = 1;
} else {
  console.log(`${version} is released already, and is what the source builds.`);
}
