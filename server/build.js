// Bundles the control plane: our own workspaces inside, third-party packages outside; `--dev` sets the dev build tag, `--demo` makes the
// demo's own build, which is never released.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const here = import.meta.dirname;
const manifest = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const packages = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).filter(
  (name) => !name.startsWith('@svc/'),
);
/** Of the workspaces inside, what cannot be bundled: it finds its own files beside itself, by a name that only CommonJS has. */
const UNBUNDLED = ['playwright-core'];
const tag = process.argv.includes('--dev') ? 'dev' : process.argv.includes('--demo') ? 'demo' : 'release';

await build({
  entryPoints: {
    main: join(here, 'src/main.ts'),
    svc: join(here, 'src/svc.ts'),
    'otlp-receive-worker': join(here, 'src/features/otlp/worker.ts'),
    'synthetic-runner': join(here, 'src/features/runners/built-in/process-entry.ts'),
    'otlp-store-worker': join(here, 'src/features/otlp-store/worker.ts'),
  },
  outdir: join(here, tag === 'demo' ? 'dist-demo' : 'dist'),
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  sourcemap: true,
  logLevel: 'warning',
  // Named one by one: "packages: external" would leave the workspaces outside as well.
  external: [...packages, ...UNBUNDLED].flatMap((name) => [name, `${name}/*`]),
  define: { __SVC_VERSION__: JSON.stringify(manifest.version), __SVC_BUILD_TAG__: JSON.stringify(tag) },
  banner: {
    js: "import { createRequire as svcCreateRequire } from 'node:module'; const require = svcCreateRequire(import.meta.url);",
  },
});
