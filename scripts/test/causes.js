// npm run causes: plays incidents of known cause through the product. Plain JavaScript: it finds Node 24 first.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { childEnv, root } from '../env.js';
import { ensureSetup } from '../setup.js';

const node = ensureSetup({ for: 'test' });
const program = join(root, 'e2e', 'causes', 'causes-main.ts');
const { status } = spawnSync(node, ['--no-deprecation', program, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: childEnv(),
});
process.exitCode = status ?? 1;
