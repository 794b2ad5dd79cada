import { setFlagsFromString } from 'node:v8';

/**
 * V8 begins a whole collection whenever buffers outside its heap have grown by 64 MB since the last one. Sockets make a buffer for every
 * 16 kB that they read, so that a receiver at full load would collect five times a second, for a quarter of its CPU. With this flag such
 * buffers count towards the heap's own limit, which grows with what lives (docs/performance-log.md). Of the whole process; before its
 * threads start.
 */
export function relaxExternalMemory(): void {
  setFlagsFromString('--external-memory-accounted-in-global-limit');
}

/**
 * Left to itself V8 lets a heap grow to several times of what lives in it before it collects all of it: what requests under way leave behind in the
 * older generation was 100 MB at 7,000 a second, of 60 that lived. Now it may be twice what lives; at 1.4 times a receiving thread, of which little
 * lives and much goes through, would take 40 % more CPU. Of the whole process; before its threads start.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=100');
}

/** The flag of this thread's young generation would go before what `youngHeap` says of others. Before they start. */
export function letThreadsChooseYoungHeap(): void {
  setFlagsFromString('--max-semi-space-size=0');
}

/** V8 takes three times the semi-space, one of them for large objects. */
const SEMI_SPACES = 3;

/** Limits of a thread whose young generation has semi-spaces of so many MiB: what it makes and drops is collected the sooner, the smaller they are. */
export const youngHeap = (semiSpaceMb: number) => ({ maxYoungGenerationSizeMb: SEMI_SPACES * semiSpaceMb });
