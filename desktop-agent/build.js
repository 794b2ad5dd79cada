// Builds the resident agent and its chores as two files: memory is why the agent runs bundled, also under npm start.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { buildFace } from './build-face.js';

const here = import.meta.dirname;
// A package with native parts and one that picks files at run time stay outside of the bundle.
const external = ['koffi', 'systeminformation'];
// CommonJS packages inside an ES module still ask for these.
const banner = [
  "import { createRequire as svcCreateRequire } from 'node:module';",
  'const require = svcCreateRequire(import.meta.url);',
  'const __filename = import.meta.filename;',
  'const __dirname = import.meta.dirname;',
].join('\n');

const PART = /^part-\w+\.mjs$/;

/**
 * What the face loads of the native parts, since its own archive holds none: the permission that macOS asks this very process about, and
 * the step in which an earlier version takes the place of one that failed.
 */
const faceParts = {
  entryPoints: {
    location: join(here, '../native/src/location/core-location.ts'),
    exchange: join(here, '../native/src/files/exchange.ts'),
  },
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node16',
  minify: true,
  keepNames: true,
  external,
  logLevel: 'warning',
};

/**
 * Writes svc-agent.mjs, location.cjs, exchange.cjs and chore.mjs into a folder somewhere below the repository, where the packages left outside are found; and
 * beside them the parts that the agent loads only when it needs them, such as the schemas that its faces are checked with.
 * @param {string} folder
 * @returns {Promise<void>}
 */
export async function buildAgent(folder) {
  const options = {
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    minify: true,
    keepNames: true,
    external,
    banner: { js: banner },
    logLevel: 'warning',
  };
  mkdirSync(folder, { recursive: true });
  for (const old of readdirSync(folder)) if (PART.test(old)) rmSync(join(folder, old));
  const agent = { entryPoints: { 'svc-agent': join(here, 'src/cli/main.ts') }, splitting: true, chunkNames: 'part-[hash]' };
  await build({ ...options, ...agent });
  await build({ ...options, entryPoints: { chore: join(here, 'src/chores/chore.ts') } });
  await build({ ...faceParts, outdir: folder });
}

if (import.meta.filename === process.argv[1]) {
  await buildAgent(join(here, 'dist'));
  await buildFace(join(here, 'dist', 'app'));
}
