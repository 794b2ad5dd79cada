/**
 * Node's flags for a process that runs tests and nothing else. What a run leaves behind is collected soon: of 10,000 tests twice as much would
 * lie about as lives (docs/performance-log.md). Beyond the heap's bound the process ends, and is started again.
 */
export const RUNNER_FLAGS = ['--max-semi-space-size=4', '--heap-growing-percent=50', '--max-old-space-size=512'] as const;

/** Of glibc: as many arenas as there are cores keep what threads have freed. */
export const RUNNER_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' } as const;
