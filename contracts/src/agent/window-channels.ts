/** The two ways between window and main; apart from the schemas, which the preload script need not carry. */
export const CALL_CHANNEL = 'agent:call';
export const EVENT_CHANNEL = 'agent:event';
