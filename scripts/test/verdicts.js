// npm run verdicts: plays situations with known truth in the network lab. Plain JavaScript: it finds Node 24 first.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { childEnv, root } from '../env.js';
import { ensureSetup } from '../setup.js';

const node = ensureSetup({ for: 'agent' });
const program = join(root, 'desktop-agent', 'e2e', 'verdicts', 'verdicts-main.ts');
const { status } = spawnSync(node, ['--no-deprecation', program, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: childEnv(),
});
process.exitCode = status ?? 1;
