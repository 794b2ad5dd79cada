// Bundles the control plane: our own workspaces inside, third-party packages outside; `--dev` sets the dev build tag.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const here = import.meta.dirname;
const manifest = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const packages = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).filter(
  (name) => !name.startsWith('@svc/'),
);
const dev = process.argv.includes('--dev');

await build({
  entryPoints: {
    main: join(here, 'src/main.ts'),
    svc: join(here, 'src/svc.ts'),
    'otlp-receive-worker': join(here, 'src/features/otlp/worker.ts'),
    'otlp-store-worker': join(here, 'src/features/otlp-store/worker.ts'),
  },
  outdir: join(here, 'dist'),
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  sourcemap: true,
  logLevel: 'warning',
  // Named one by one: "packages: external" would leave the workspaces outside as well.
  external: packages.flatMap((name) => [name, `${name}/*`]),
  define: { __SVC_VERSION__: JSON.stringify(manifest.version), __SVC_BUILD_TAG__: JSON.stringify(dev ? 'dev' : 'release') },
  banner: {
    js: "import { createRequire as svcCreateRequire } from 'node:module'; const require = svcCreateRequire(import.meta.url);",
  },
});
