import type { MessageState } from '@svc/contracts/notify/outbox';

/** Every state of a message, in the order of its life: names alone, since the contract's own list would bring its schemas along. */
export const MESSAGE_STATE_NAMES = [
  ...(['waiting', 'confirming', 'accepted', 'sent', 'confirmed', 'dead', 'held_back', 'dropped', 'given_up'] as const),
] as const satisfies readonly MessageState[];
export type MessageStateName = (typeof MESSAGE_STATE_NAMES)[number];
