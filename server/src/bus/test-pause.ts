import { type Pause, pause } from './pause.ts';

/** A twentieth of the real pauses, in the same order: for the adapters in this process. The suite on Kafka waits for real. */
export const quickPause: Pause = (ms, signal) => pause(ms / 20, signal);
