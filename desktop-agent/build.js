// Builds the resident agent and its chores as two files: memory is why the agent runs bundled, also under npm start.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
// Packages with native parts, and one that picks files at run time, stay outside of the bundle.
const external = ['koffi', 'systeminformation', 'node-wifi'];
// CommonJS packages inside an ES module still ask for these.
const banner = {
  js: [
    "import { createRequire as svcCreateRequire } from 'node:module';",
    "import { fileURLToPath as svcFileURLToPath } from 'node:url';",
    "import { dirname as svcDirname } from 'node:path';",
    'const require = svcCreateRequire(import.meta.url);',
    'const __filename = svcFileURLToPath(import.meta.url);',
    'const __dirname = svcDirname(__filename);',
  ].join('\n'),
};

await build({
  entryPoints: { 'svc-agent': join(here, 'src/cli/main.ts'), chore: join(here, 'src/chores/chore.ts') },
  outdir: join(here, 'dist'),
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  minify: true,
  keepNames: true,
  sourcemap: false,
  external,
  banner,
  logLevel: 'warning',
});
