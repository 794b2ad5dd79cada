/** Of one change; what is longer is cut, and ends in an ellipsis. */
export const MAX_TITLE = 300;
export const MAX_SUMMARY = 4000;
export const MAX_TARGET = 253;
export const MAX_WORD = 200;
export const MAX_URL = 2000;
export const MAX_ATTRIBUTES = 32;
export const MAX_ATTRIBUTE_NAME = 100;
export const MAX_ATTRIBUTE = 1000;
/** Files that a push names, as far as the webhook's table can look at them. */
export const MAX_PATHS = 200;
/** Entries of one delivery. */
export const MAX_EVENTS = 10_000;
export const MAX_DELIVERY_BYTES = 1024 * 1024;
/** How far ahead of our clock a change may say that it happened. */
export const MAX_AHEAD_MS = 60 * 60_000;
/** After the start of an incident, a change still counts as one of its time. */
export const GRACE_MS = 5 * 60_000;
export const KEPT_DAYS = 400;
export const MAX_WEBHOOKS = 100;
export const MAX_RULES = 500;
