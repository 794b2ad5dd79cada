// Makes dist/: the script of the snippet, a module and its types. Fails where the script has grown over what it may weigh.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildModule, buildScript, describeTypes } from './compile.js';
import { findWeight, MOST_BYTES } from './weigh.js';

const dist = join(import.meta.dirname, 'dist');
const script = await buildScript();
const module = await buildModule();
mkdirSync(dist, { recursive: true });
writeFileSync(join(dist, 'rum.js'), script);
writeFileSync(join(dist, 'rum.mjs'), module);
writeFileSync(join(dist, 'rum.d.ts'), describeTypes());
for (const [name, text] of Object.entries({ 'rum.js': script, 'rum.mjs': module })) {
  const { bytes, gzip, brotli } = findWeight(text);
  console.log(`${name}: ${bytes} bytes minified, ${gzip} gzip, ${brotli} brotli`);
}
if (findWeight(script).bytes > MOST_BYTES) {
  console.error(`rum.js may have ${MOST_BYTES} bytes at most: take something out, and never consent, LCP, INP or CLS.`);
  process.exitCode = 1;
}
