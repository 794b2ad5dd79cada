import type { InboundOutcome, InboundRefusal, InboundWebhook } from '@svc/contracts/notify/inbound';
import type { InboundProvider } from '@svc/contracts/notify/kinds';
import { plural } from '../../ui/words/format.ts';

/** Those that can call back: chats have no way back. */
export const INBOUND_CHOICES = ['pager_a', 'pager_b', 'ticket_a', 'ticket_b'] as const satisfies readonly InboundProvider[];

/** Why a delivery was refused, and what helps. */
export const REFUSAL_WORDS: Readonly<Record<InboundRefusal, { why: string; todo: string }>> = {
  no_signature: { why: 'Without a signature or token', todo: 'Give the secret to the webhook at the other side.' },
  malformed_signature: { why: 'The signature is none', todo: 'Send it as the header of its provider wants it, once.' },
  wrong_signature: { why: 'Signed with another secret, or changed on its way', todo: 'Rotate, and copy the new secret.' },
  wrong_token: { why: 'With another token', todo: 'Rotate, and copy the new secret.' },
  wrong_provider: { why: 'Sent to the address of another provider', todo: 'Copy the address of this webhook.' },
  too_large: { why: 'Larger than 1 MiB', todo: 'Send less of the record.' },
  unavailable: { why: 'Verified, but this server could not keep it', todo: 'Send it again; an operator looks at the log.' },
};

/** What came of a delivery that was verified. */
export const OUTCOME_WORDS: Readonly<Record<InboundOutcome, string>> = {
  waiting: 'Stored, being done',
  resolved: 'Resolved here, and at all other connectors',
  acknowledged: 'Acknowledged here, and at all other connectors',
  nothing_to_do: 'Nothing: it was so already',
  older: 'Nothing: something newer is known',
  unknown: 'Nothing: no such incident',
  noted: 'Noted: reopened or deleted there, which changes nothing here',
  not_used: 'Nothing: not an event that is used',
  not_understood: 'Not understood',
};

/** Nobody has to look at these. */
export const isQuiet = (outcome: InboundOutcome): boolean => !['resolved', 'acknowledged', 'not_understood'].includes(outcome);

/** A headline: what is known of all of them. */
export function describeInbound(items: readonly InboundWebhook[]): string {
  if (items.length === 0) return 'Nothing comes back: what is resolved elsewhere stays open here.';
  const refused = items.filter(({ refusals, last_delivery_at: last }) =>
    refusals.some(({ last_at: at }) => last === null || at > last),
  );
  if (refused.length > 0)
    return `${plural(refused.length, 'webhook')} of ${items.length} ${refused.length === 1 ? 'was' : 'were'} refused last.`;
  const silent = items.filter(({ last_delivery_at: at }) => at === null).length;
  if (silent === items.length) return items.length === 1 ? 'Waiting for the first delivery.' : 'Nothing came by any webhook yet.';
  if (silent > 0)
    return `${plural(silent, 'webhook')} of ${items.length} ${silent === 1 ? 'waits' : 'wait'} for the first delivery.`;
  return `${plural(items.length, 'webhook')} ${items.length === 1 ? 'brings' : 'bring'} back what is done elsewhere.`;
}
