import { compose } from './product.ts';
import { describeReady, logReady } from './ready.ts';
import { openStores } from './stores.ts';

/** The whole product, for `serve`. */
export const composition = { openStores, compose, describeReady, logReady };
