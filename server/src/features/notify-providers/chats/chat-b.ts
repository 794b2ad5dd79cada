import type { Verb } from '@svc/contracts/notify/kinds';
import type { Connection, Message, Outcome, Provider } from '#kernel';
import { type Answered, createAsk, judge, pickText, reach, sayOf, secretsOf } from '../calls/ask.ts';
import { field, readConnection } from '../calls/connection.ts';
import { type About, newObjectOnly, nothingToDo, type ProviderDeps, unasked } from '../context.ts';
import { messageOf } from './chat-b-card.ts';

/** Microsoft Teams, by the webhook of a workflow (docs/notify/teams.md). Its address with its whole query is the credential. */

const FIELDS = [
  field('url', 'Host', { help: 'Leave it empty: it is taken from the address of the workflow.' }),
  field('credential', 'Address of the workflow', {
    help: 'In the channel: Workflows > Post to a channel when a webhook request is received. Copy the whole address with everything behind the question mark. Give the workflow a second owner: it stops when its owner leaves.',
    ...{ is_secret: true, is_required: true, placeholder: 'https://....environment.api.powerplatform.com:443/...&sig=...' },
  }),
];

/** In the environment's form the address stands where others have theirs. */
const addressOf = ({ url, credential }: Connection): string => credential.trim() || url.trim();

const ABOUT: About = {
  ...{ kind: 'chat_b', name: 'Microsoft Teams', fields: FIELDS },
  testWarning: 'A test posts in the channel: whoever follows it may be notified.',
  capabilities: () => ({
    ...{ hasKey: false, canBeFound: false, canUpdate: false, canAcknowledge: false, canResolve: true },
    ...{ reopens: 'new', confirms: false, canLook: false },
  }),
  // 100 an hour is what a storm reaches first; a few may go at once.
  pace: () => ({ perMinute: 1.5, concurrency: 1, burst: 10, gathers: 20 }),
  parse: (given) => {
    const address = addressOf(given);
    const { to, faults } = readConnection({ ...given, url: '', credential: address }, { fields: FIELDS });
    const url = URL.parse(address);
    if (url?.protocol !== 'https:') faults.add('credential', 'The address of a workflow begins with https://.');
    else if (url.username || url.hash) faults.add('credential', 'The address of a workflow has no user and no fragment.');
    else if (/\.webhook\.office\.com$/.test(url.hostname))
      faults.add(
        'credential',
        'Office 365 connectors are switched off by Microsoft: make a workflow in the channel and paste its address.',
      );
    faults.throwAny();
    return { ...to, url: url?.origin ?? '' };
  },
};

const BROKEN = /WorkflowTriggerIsNotEnabled|WorkflowNotFound/;

const wordsOf = ({ json, text }: Answered): string | undefined =>
  pickText(json, 'error', 'message') ?? pickText(json, 'error', 'code') ?? (text.length <= 200 ? text : undefined);

export function createChatB({ outbound, now }: ProviderDeps): Provider {
  const ask = createAsk({ outbound });
  const refuse = (to: Connection, answer: Answered): Outcome =>
    judge(answer, { nowMs: now(), words: wordsOf, doubts: false, secrets: secretsOf(to) });
  const post = async (to: Connection, message: Message, verb: Verb): Promise<Outcome> => {
    const text = messageOf(message, verb);
    if (text === undefined) return { is: 'final', said: 'The message does not fit into the 28 KB of Teams.' };
    const reply = await ask(to, { url: to.credential, text });
    if (!reply.ok) return reply.refused;
    const { answer } = reply;
    // Nobody can ask what became of it: the flow runs afterwards.
    const isTaken = answer.status === 202 || (answer.status === 200 && !/error|<html/i.test(answer.text));
    if (isTaken)
      return { is: 'accepted', reference: null, request: null, said: sayOf(`${answer.status} ${answer.text}`, secretsOf(to)) };
    // The flow is deleted or switched off: it is so for every message.
    if (answer.status === 404 || BROKEN.test(answer.text))
      return { is: 'broken_credential', said: sayOf(`${answer.status} ${wordsOf(answer) ?? ''}`, secretsOf(to)) };
    return refuse(to, answer);
  };
  return {
    ...ABOUT,
    ...unasked,
    // A workflow answers 202 to anything and then runs: whatever could be asked would post.
    check: (to) => reach(outbound, to, to.credential),
    open: (to, message) => post(to, message, 'open'),
    update: nothingToDo,
    acknowledge: nothingToDo,
    resolve: (to, message) => post(to, message, 'resolve'),
    reopen: newObjectOnly,
  };
}
