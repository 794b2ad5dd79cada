/**
 * Node's flags for the server and its command line; whatever starts `dist/main.js` or `dist/svc.js` gives them. Of V8, whose settings
 * count from the first allocation and for all threads (measured in docs/performance-log.md):
 *
 * - the young generation of each thread grows to 100 MB under load by itself, and is no quicker for it;
 * - a whole collection begins whenever buffers outside the heap have grown by 64 MB. Sockets make one for every 16 kB that they read, so
 *   that a receiver at full load would collect five times a second, for a quarter of its CPU. Now they count towards the heap's own limit;
 * - a heap grows to several times of what lives in it before all of it is collected: requests left 100 MB behind at 7,000 a second, of 60
 *   that lived. Now it may be twice what lives; at 1.4 times a receiving thread would take 40 % more CPU.
 */
export const nodeFlags = [
  '--disable-warning=TimeoutNegativeWarning',
  '--max-semi-space-size=4',
  '--external-memory-accounted-in-global-limit',
  '--heap-growing-percent=100',
];

/** Of a process that runs synthetic tests and nothing else: the same as of the server's own (runner/src/process/flags.ts, which says why). */
export const canaryFlags = [
  '--disable-warning=TimeoutNegativeWarning',
  '--max-semi-space-size=4',
  '--heap-growing-percent=50',
  '--max-old-space-size=512',
];
