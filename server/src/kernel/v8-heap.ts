import { setFlagsFromString } from 'node:v8';

/**
 * The flag of the young generation (server/bin/node-flags.js) has made this thread's, and would go before what `youngHeap` says of
 * others: it is taken back here, before they start.
 */
export function letThreadsChooseYoungHeap(): void {
  setFlagsFromString('--max-semi-space-size=0');
}

/** V8 takes three times the semi-space, one of them for large objects. */
const SEMI_SPACES = 3;

/** Limits of a thread whose young generation has semi-spaces of so many MiB: what it makes and drops is collected the sooner, the smaller they are. */
export const youngHeap = (semiSpaceMb: number) => ({ maxYoungGenerationSizeMb: SEMI_SPACES * semiSpaceMb });
