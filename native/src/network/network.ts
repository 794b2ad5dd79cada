import type { Reading } from '../reading.ts';

/**
 * `left`: the way out of this device is gone or leads elsewhere from now on; what is under way measures the former network.
 * `joined`: a way out is there that is another one than before, be it with the same gateway's address.
 */
export type NetworkChange = 'left' | 'joined';

/**
 * Calls `onChange` at each change until the function given back is called. `left` comes at once, `joined` when the system has been
 * quiet for a second, each at most once a change. Reads what the system announces and never polls; keeps no process alive.
 * `not_supported` and `permission`: this system announces nothing, and `onChange` is never called.
 */
export type WatchNetwork = (onChange: (change: NetworkChange) => void) => Reading<() => void>;
