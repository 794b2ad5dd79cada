// Makes the Prisma client. No download: the schema engine is not needed to generate, but the CLI asks for one unless some
// existing program is named, and it looks for updates unless told not to.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { env, execPath, exit } from 'node:process';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const cli = join(dirname(createRequire(import.meta.url).resolve('prisma/package.json')), 'build', 'index.js');
const result = spawnSync(execPath, [cli, 'generate', '--schema', join(here, '..', 'prisma')], {
  cwd: here,
  stdio: ['ignore', 'pipe', 'inherit'],
  env: { ...env, PRISMA_SCHEMA_ENGINE_BINARY: execPath, CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' },
});
exit(result.status ?? 1);
