import { membersOf, textOf } from '../../../ui/address/search-params.ts';
import { MESSAGE_STATE_NAMES, type MessageStateName } from './state-names.ts';

/** What the address of the outbox asks for; `message` is the one that stands open. */
export interface OutboxSearch {
  state?: MessageStateName[] | undefined;
  connector?: string | undefined;
  incident?: string | undefined;
  message?: string | undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const uuidOf = (value: unknown): string | undefined => {
  const text = textOf(value);
  return text && UUID.test(text) ? text : undefined;
};

export function decodeOutboxSearch(raw: Record<string, unknown>): OutboxSearch {
  const search: OutboxSearch = {
    state: membersOf(raw.state, MESSAGE_STATE_NAMES),
    connector: textOf(raw.connector)?.slice(0, 64),
    incident: uuidOf(raw.incident),
    message: uuidOf(raw.message),
  };
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}
