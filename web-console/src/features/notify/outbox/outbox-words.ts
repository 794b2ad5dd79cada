import type { ProviderKind } from '@svc/contracts/notify/kinds';
import type { MessageState, OutboxCounts, OutboxMessage } from '@svc/contracts/notify/outbox';
import type { IconName } from '../../../ui/controls/icons.tsx';
import { PROVIDER_NAMES } from '../../../ui/notify/provider-mark.tsx';
import { formatCount, plural } from '../../../ui/words/format.ts';

export const STATE_NAMES: Readonly<Record<MessageState, string>> = {
  ...{ waiting: 'Waiting', confirming: 'Accepted, being confirmed', accepted: 'Accepted', sent: 'Sent', confirmed: 'Confirmed' },
  ...{ dead: 'Dead', held_back: 'Held back', dropped: 'Dropped', given_up: 'Given up' },
};

export const STATE_ICONS: Readonly<Record<MessageState, IconName>> = {
  ...{ waiting: 'pending', confirming: 'pending', accepted: 'right', sent: 'check', confirmed: 'ok' },
  ...{ dead: 'failed', held_back: 'dash', dropped: 'dash', given_up: 'ban' },
};

/** States that are looked at together. */
export const STATE_GROUPS = {
  waiting: ['waiting', 'confirming'],
  dead: ['dead'],
  held_back: ['held_back'],
  sent: ['accepted', 'sent', 'confirmed'],
} as const satisfies Readonly<Record<string, readonly MessageState[]>>;
export type StateGroup = keyof typeof STATE_GROUPS;

export const groupOf = (states: readonly MessageState[] | undefined): StateGroup | 'all' | undefined => {
  if (!states) return 'all';
  const key = [...states].sort().join();
  return (Object.keys(STATE_GROUPS) as StateGroup[]).find((name) => [...STATE_GROUPS[name]].sort().join() === key);
};

const CAUSES: Readonly<Record<string, string>> = {
  ...{ opened: 'Opened', signal_joined: 'Another signal', severity_set: 'Severity', acknowledged: 'Acknowledged' },
  ...{ resolved: 'Resolved', merged: 'Merged', reopened: 'Reopened', assigned: 'Assigned', commented: 'Comment' },
};
const VERBS: Readonly<Record<OutboxMessage['verb'], string>> = {
  ...{ open: 'Opened', update: 'Update', acknowledge: 'Acknowledged', resolve: 'Resolved', reopen: 'Reopened' },
};

/** What happened to the incident, which the message tells. */
export const causeWords = ({ cause, verb }: Pick<OutboxMessage, 'cause' | 'verb'>): string => CAUSES[cause] ?? VERBS[verb];

/** What accepted means where it is the last that is heard. */
const ACCEPTED: Readonly<Partial<Record<ProviderKind, string>>> = {
  pager_a: 'PagerDuty took it and works on it later. Its webhook, where there is one, confirms it.',
  chat_b: 'Teams took it, and never reports whether it was posted.',
  email: 'The mail server took it. Whether it arrived is not known here.',
};

/** What the state says of whether the other side knows. */
export function describeState({ state, why, connector, attempts }: OutboxMessage): string {
  const name = PROVIDER_NAMES[connector.provider];
  switch (state) {
    case 'sent':
      return `${name} answered that it was done.`;
    case 'accepted':
      return ACCEPTED[connector.provider] ?? `${name} took it. Whether it was done is not known here.`;
    case 'confirming':
      return `${name} took it, and is asked what became of it.`;
    case 'confirmed':
      return `${name} reported later that it was done.`;
    case 'waiting':
      return attempts === 0
        ? 'It was not tried yet.'
        : `It was not taken at ${plural(attempts, 'attempt')}. It waits longer each time.`;
    case 'dead':
      return `It is not tried any more${why ? `: ${why}` : ''}. ${name} may not know.`;
    case 'held_back':
      return `It was not sent on purpose: ${why}.`;
    case 'dropped':
      return `It is not needed any more${why ? `: ${why}` : ''}.`;
    case 'given_up':
      return `It is not sent${why ? `: ${why}` : ''}.`;
  }
}

/** Beside the state, where it fits on a line. */
export const shortWhy = ({ state, why }: OutboxMessage): string => (state === 'held_back' || state === 'dropped' ? why : '');

export const mayRetry = ({ state }: OutboxMessage): boolean => ['waiting', 'dead', 'given_up'].includes(state);
export const mayGiveUp = ({ state }: OutboxMessage): boolean => ['waiting', 'confirming', 'dead'].includes(state);

/** What is beside the first sentence. */
export function describeRest({ sent, held_back, possible_repeats }: OutboxCounts): string {
  const repeats = possible_repeats > 0 ? `, ${plural(possible_repeats, 'possible repeat')}` : '';
  return `${formatCount(sent)} sent, ${formatCount(held_back)} held back by the rules of behaviour${repeats}. Kept for 90 days.`;
}

/** The end of a key, which is what differs from one to the next. */
export const shortKey = (key: string): string => (key.length > 16 ? `${key.slice(0, 4)}…${key.slice(-6)}` : key);
