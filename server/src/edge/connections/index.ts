// What every listener shares: how many connections it holds, and whose goes first. Imports no server framework: OTLP's thread uses it too.
export {
  AGENT_BOUNDS,
  type ConnectionBounds,
  type ConnectionPlan,
  HTTPS_BOUNDS,
  OTLP_BOUNDS,
  planConnections,
} from './bounds.ts';
export { type ConnectionCounts, type ConnectionGuard, type GuardOptions, guardConnections } from './guard.ts';
export { type ReaderBounds, UNREAD_BYTES, watchReaders } from './slow-readers.ts';
export { endStuckSessions } from './stuck-sessions.ts';
export { boundUnanswered, MOST_UNANSWERED } from './unanswered.ts';
export { whenClosed } from './when-closed.ts';
