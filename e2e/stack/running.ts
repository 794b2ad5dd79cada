import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../env.ts';

/** Where the product of this run is. */
export const running = (): { url: string; claimLink: string; dataDir: string } =>
  JSON.parse(readFileSync(join(root, 'test-results', 'product.json'), 'utf8'));

export const ADMIN = { email: 'ines@example.test', password: 'a long enough password' } as const;
