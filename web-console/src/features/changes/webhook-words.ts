import type { DeliveryOutcome, DropReason, RefusalReason } from '@svc/contracts/changes/kinds';
import type { Webhook, WebhookDelivery } from '@svc/contracts/changes/webhook';
import { plural } from '../../ui/words/format.ts';

/** Why a delivery was refused, and what helps. */
export const REFUSAL_WORDS: Readonly<Record<RefusalReason, { why: string; todo: string }>> = {
  wrong_provider: { why: 'Sent to the address of another provider', todo: 'Copy the address of this webhook.' },
  no_signature: { why: 'Not signed', todo: 'Give the secret to the webhook at the other side.' },
  malformed_signature: { why: 'The signature is none', todo: 'Send it as sha256= and 64 hexadecimal digits, once.' },
  wrong_signature: { why: 'Signed with another secret, or changed on its way', todo: 'Rotate, and copy the new secret.' },
  stale_timestamp: { why: 'Signed more than 5 minutes away from now', todo: 'Set the clocks of both sides.' },
  no_token: { why: 'Without a token', todo: 'Give the secret to the webhook at the other side.' },
  wrong_token: { why: 'With another token', todo: 'Rotate, and copy the new secret.' },
  too_large: { why: 'Larger than 1 MiB', todo: 'Send fewer changes at once.' },
  bus_unavailable: { why: 'Verified, but this server could not keep it', todo: 'Send it again; an operator looks at the log.' },
};

export const OUTCOME_WORDS: Readonly<Record<DeliveryOutcome, string>> = {
  stored: 'Stored',
  partly_stored: 'Stored in part',
  ping: 'Ping: it is connected',
  not_wanted: 'Not an event that is stored',
  no_commit: 'A branch or tag was deleted: no commit',
  nothing_in_it: 'Nothing in it',
  not_json: 'Not JSON',
  not_known_shape: 'Not a known shape',
  all_malformed: 'Nothing stored: every entry is malformed',
};

export const DROP_WORDS: Readonly<Record<DropReason, string>> = {
  not_an_object: 'no object',
  no_title: 'without a title',
  no_occurred_at: 'without occurred_at',
  bad_occurred_at: 'occurred_at is no time with a zone',
  in_the_future: 'occurred_at lies ahead',
  bad_prefix: 'prefix is no network',
  bad_id: 'id is too long or none',
  too_many: 'beyond 10,000',
};

/** What came of a delivery: `2 changes`, `1 change; dropped: 3 without a title`. */
export function tellDelivery({ outcome, events, dropped }: WebhookDelivery): string {
  const lost = dropped.map(({ reason, count }) => `${count} ${DROP_WORDS[reason]}`).join(', ');
  const words = outcome === 'stored' || outcome === 'partly_stored' ? plural(events, 'change') : OUTCOME_WORDS[outcome];
  return lost === '' ? words : `${words}; dropped: ${lost}`;
}

/** A headline: what is known of all of them. */
export function describeWebhooks(items: readonly Webhook[]): string {
  if (items.length === 0) return 'No webhook tells of changes.';
  const silent = items.filter(({ last_delivery_at: at }) => at === null);
  if (silent.length === items.length)
    return items.length === 1 ? 'Waiting for the first delivery.' : 'Nothing came by any webhook yet.';
  if (silent.length > 0)
    return `${plural(silent.length, 'webhook')} of ${items.length} ${silent.length === 1 ? 'waits' : 'wait'} for the first delivery.`;
  return `${plural(items.length, 'webhook')} ${items.length === 1 ? 'tells' : 'tell'} of changes.`;
}
