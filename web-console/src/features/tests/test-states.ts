import type { TestState } from '@svc/contracts/tests/views';

const STATE = { failing: 1, not_running: 1, new: 1, paused: 1, passing: 1 } as const satisfies Record<TestState, 1>;

/**
 * Worst first, as the server sorts; the console's own copy, since the contract's list stands in a file with zod. Apart from their words: every
 * page loads what addresses are read with.
 */
export const STATES = Object.keys(STATE) as readonly TestState[];
