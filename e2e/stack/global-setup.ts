import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../env.ts';
import { type Product, startProduct } from './product.ts';

declare global {
  var svcProduct: Product | undefined;
}

/** Starts the product once; tests read where it is from test-results/product.json. */
export async function startForRun(): Promise<void> {
  const product = await startProduct({ args: [] });
  globalThis.svcProduct = product;
  mkdirSync(join(root, 'test-results'), { recursive: true });
  const { url, claimLink, dataDir } = product;
  writeFileSync(join(root, 'test-results', 'product.json'), JSON.stringify({ url, claimLink, dataDir }));
}
export default startForRun;
