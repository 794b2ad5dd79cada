import type { Connection, Outcome } from '#kernel';
import { secretsOf } from '../calls/ask.ts';
import { sayOf } from '../calls/said.ts';
import { type Calls, type Issue, referenceOf, refusedFields, type Transition } from './ticket-b-calls.ts';
import { AUTO } from './ticket-b-form.ts';

/** Moves of an issue through whatever workflow its project has. */

const listed = (offered: readonly Transition[]): string =>
  offered.map(({ id, name, toName }) => `${id} ${name} -> ${toName}`).join(', ') || 'none';

/** Those that ask for nothing more than is configured come first. */
const easiest = (found: readonly Transition[], given: readonly string[]): Transition | undefined =>
  found.toSorted((a, b) => missing(a, given) - missing(b, given))[0];
const missing = ({ demands }: Transition, given: readonly string[]): number =>
  demands.filter((name) => !given.includes(name)).length;

interface Choice {
  issue: Issue;
  offered: readonly Transition[];
}

function chooseDone(to: Connection, { issue, offered }: Choice): { id: string } | { refused: string } {
  const wanted = to.settings.resolve_transition ?? AUTO;
  if (wanted === AUTO) {
    const given = to.settings.resolution ? ['resolution'] : [];
    const found = easiest(
      offered.filter(({ category }) => category === 'done'),
      given,
    );
    return (
      found ?? {
        refused: `No transition from ${issue.status} leads to a status of the category done. Offered: ${listed(offered)}.`,
      }
    );
  }
  const known = offered.find(({ id }) => id === wanted);
  if (known && known.category !== 'done')
    return {
      refused: `Transition ${wanted} (${known.name}) leads to ${known.toName}, which is not done; set resolve_transition to another or to auto. Offered: ${listed(offered)}.`,
    };
  // One that is not offered is left to Jira to refuse, in its own words.
  return { id: wanted };
}

async function move(calls: Calls, to: Connection, asked: { issue: Issue; id: string; resolution: string }): Promise<Outcome> {
  const { issue, id, resolution } = asked;
  const fields = resolution ? { fields: { resolution: { name: resolution } } } : {};
  const reply = await calls.ask(to, { url: `/issue/${issue.id}/transitions`, body: { transition: { id }, ...fields } });
  if (!reply.ok) return reply.refused;
  const { answer } = reply;
  if (answer.status === 204)
    return { is: 'sent', reference: referenceOf(to, issue), said: sayOf(`${issue.key}: transition ${id}`, secretsOf(to)) };
  const isUnwanted = resolution !== '' && refusedFields(answer).includes('resolution') && /cannot be set/i.test(answer.text);
  return isUnwanted ? await move(calls, to, { ...asked, resolution: '' }) : calls.refuseIssue(to, answer, true);
}

/** To done, by the configured transition or by any that leads there. */
export async function moveToDone(calls: Calls, to: Connection, issue: Issue): Promise<Outcome> {
  const offered = await calls.listTransitions(to, issue.id);
  if (!offered.ok) return offered.refused;
  const chosen = chooseDone(to, { issue, offered: offered.value });
  if ('refused' in chosen) return { is: 'final', said: sayOf(chosen.refused, secretsOf(to)) };
  return await move(calls, to, { issue, id: chosen.id, resolution: to.settings.resolution ?? '' });
}

/** Back from done, to a beginning rather than to work that nobody does. */
export async function moveBack(calls: Calls, to: Connection, issue: Issue): Promise<Outcome> {
  const offered = await calls.listTransitions(to, issue.id);
  if (!offered.ok) return offered.refused;
  const of = (category: string): readonly Transition[] => offered.value.filter((one) => one.category === category);
  const back = easiest(of('new'), []) ?? easiest(of('indeterminate'), []);
  if (!back)
    return {
      is: 'final',
      said: sayOf(`No transition leads back from ${issue.status}. Offered: ${listed(offered.value)}.`, secretsOf(to)),
    };
  return await move(calls, to, { issue, id: back.id, resolution: '' });
}
