import type { EndpointRow } from '@svc/contracts/endpoint/view';
import { composeSentence, type SentencePart } from '@svc/contracts/judged/sentence';
import { factsOfRow } from '../../../ui/judged/facts.ts';

/** The sentence of the page, made of what was judged, or what the device's state means. */
export function deviceSentence(row: EndpointRow): SentencePart[] {
  const facts = factsOfRow(row);
  if (facts) return composeSentence(facts);
  switch (row.verdict) {
    case 'paused':
      return ['Paused', ...(row.paused_until ? [' until ', { at: row.paused_until }] : []), '. Nothing is measured or sent.'];
    case 'no_contact':
      return row.last_contact_at
        ? ['No contact since ', { at: row.last_contact_at }, '. What it measured offline will arrive in order.']
        : ['Enrolled, but never heard from.'];
    case 'needs_permission':
      return ['The operating system asks the person there for a permission before anything can be measured.'];
    case 'declined':
      return ['The person there declined to be measured.'];
    case 'update_required':
      return ['Its agent is too old to talk to this server. Update the agent.'];
    default:
      return ['A verdict is on its way: it takes about a minute and a half of measuring.'];
  }
}
