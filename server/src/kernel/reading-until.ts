import { AsyncLocalStorage } from 'node:async_hooks';

const ends = new AsyncLocalStorage<AbortSignal>();

/**
 * Runs what reads for one request: whatever it asks of a store, however deep below, ends with the request. Nobody in between passes the signal
 * on, so no reader can leave it out. What is begun inside and shared with other requests must not ask on behalf of this one.
 */
export const readUntil = <T>(ended: AbortSignal | undefined, work: () => T): T => (ended ? ends.run(ended, work) : work());

/** Aborted once nobody waits for what is being read here; undefined outside of a request that reads. */
export const endOfReading = (): AbortSignal | undefined => ends.getStore();
