// npm run package:agent: packages of the endpoint agent. Plain JavaScript: it finds Node 24 first.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { childEnv } from './env.js';
import { ensureSetup } from './setup.js';

const node = ensureSetup({ for: 'agent' });
const program = join(import.meta.dirname, 'package', 'main.ts');
const { status } = spawnSync(node, [program, ...process.argv.slice(2)], { stdio: 'inherit', env: childEnv() });
process.exitCode = status ?? 1;
