import type { Refusal } from '@svc/contracts/rum/apps';
import { REJECT_STATUS, type RejectReason } from '@svc/contracts/rum/kinds';
import type { z } from 'zod';

/** What each refusal means and what to do, for the pages and for who asks over REST. */
const WORDS: Readonly<Record<RejectReason, { meaning: string; advice: string }>> = {
  no_consent: {
    meaning: 'A beacon without consent: true.',
    advice: 'Our script never sends one: find out what else sends here, and let it ask its visitors first.',
  },
  malformed: {
    meaning: 'A body that is no JSON object in UTF-8, is compressed, or names a field twice.',
    advice: 'Our script never sends one: find out what else sends here, or what changes bodies on their way.',
  },
  invalid_field: {
    meaning:
      'A field outside of the schema, or a value that it may not have; a host or origin outside of the app’s list is one too.',
    advice: 'Remove the field where the page adds it, or add the host to the app.',
  },
  unknown_key: {
    meaning: 'A key that was retired, or whose app was removed.',
    advice: 'Put the current snippet of the app into the pages that still send the former key.',
  },
  too_large: {
    meaning: 'A body over 16 KiB.',
    advice: 'Our script sends less than 1 KiB: find out what else sends here.',
  },
  over_rate: {
    meaning: 'More beacons a minute than the key may send. The figures lack these views.',
    advice: 'Raise the rate of the app, or SVC_RUM_RATE_PER_MIN where it has none of its own.',
  },
};

export const meaningOf = (reason: RejectReason): { meaning: string; advice: string } => WORDS[reason];

/** One refusal in a sentence, with what to do about it. */
export function toRefusal(of: { reason: RejectReason; field: string; at: Date }): z.infer<typeof Refusal> {
  const { reason, field, at } = of;
  const { meaning, advice } = WORDS[reason];
  const sentence =
    reason === 'invalid_field' && field !== ''
      ? `The field ${field} is outside of the schema, or has a value that it may not have. ${advice}`
      : `${meaning} ${advice}`;
  return { reason, at: at.toISOString(), status: REJECT_STATUS[reason], field: field === '' ? null : field, sentence };
}
