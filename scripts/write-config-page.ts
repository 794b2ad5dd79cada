// Writes docs/configuration.md out of the code's own lists of keys: node scripts/write-config-page.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeConfigPage } from './config-page.ts';
import { root } from './env.js';

writeFileSync(join(root, 'docs', 'configuration.md'), describeConfigPage());
