// Part of lint: no retry inside the suite but those of retries.json, and none past its expiry.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../env.js';
import { findRetryFaults } from './retries.js';

const listed = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
const faults = findRetryFaults({
  entries: JSON.parse(readFileSync(join(import.meta.dirname, 'retries.json'), 'utf8')),
  files: [...new Set((listed.stdout ?? '').split('\n'))],
  read: (file) => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : undefined),
  today: new Date().toISOString().slice(0, 10),
});
for (const fault of faults) console.error(`Retry: ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);
