import type { AgentStatus } from '@svc/contracts/agent/messages';

/** A message that leaves now, in the order in which messages do; `bytes` before compression. */
export type Outgoing =
  | { kind: 'results'; bytes: Buffer; records: readonly Uint8Array[] }
  | { kind: 'status'; bytes: Buffer; status: AgentStatus };

/** Hears of each message just before it is handed to the connection. Must not throw. */
export type OnSending = (message: Outgoing) => void;
