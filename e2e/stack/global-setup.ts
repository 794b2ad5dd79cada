import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../env.ts';
import { type Product, startProduct } from './product.ts';
import { PROVIDERS_ALLOW, providersTls } from './providers.ts';

/**
 * The whole suite is one person with one address who asks ten times as fast as anybody clicks: on a quick machine over 600 calls a minute.
 * What a person may ask is tested where it is counted (server/src/edge) and attacked with the default (e2e/attacks).
 */
const API_RATE_PER_MIN = '6000';

/** Tests contact nothing outside, so what synthetic tests measure is on loopback, which is refused otherwise. */
const TARGETS_ALLOW = '127.0.0.1';

declare global {
  var svcProduct: Product | undefined;
}

/** Starts the product once; tests read where it is from test-results/product.json. */
export async function startForRun(): Promise<void> {
  const product = await startProduct({
    args: [],
    env: {
      ...{ SVC_API_RATE_PER_MIN: API_RATE_PER_MIN, SVC_TARGETS_ALLOW: TARGETS_ALLOW },
      ...{ SVC_OUTBOUND_ALLOW: PROVIDERS_ALLOW, SVC_OUTBOUND_CA_FILE: (await providersTls()).caFile },
    },
  });
  globalThis.svcProduct = product;
  mkdirSync(join(root, 'test-results'), { recursive: true });
  const { url, claimLink, dataDir } = product;
  writeFileSync(join(root, 'test-results', 'product.json'), JSON.stringify({ url, claimLink, dataDir }));
}
export default startForRun;
