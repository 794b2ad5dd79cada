/** Calls to addresses outside (docs/outbound.md): certificates checked, addresses judged where they are dialled, everything bounded. */
export { parseAllowed } from './allowed.ts';
export { createOutbound, type Outbound, type OutboundOptions } from './client.ts';
export { createFetch } from './fetch.ts';
export {
  type ConnectRequest,
  OUTBOUND_FAULTS,
  type OutboundAnswer,
  type OutboundConnection,
  OutboundError,
  type OutboundFailure,
  type OutboundFault,
  type OutboundRequest,
  type OutboundResult,
} from './request.ts';
