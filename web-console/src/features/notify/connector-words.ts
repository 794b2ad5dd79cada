import type { SentencePart } from '@svc/contracts/judged/sentence';
import type { Connector, TrialStep } from '@svc/contracts/notify/connector';
import type { IconName } from '../../ui/controls/icons.tsx';
import { plural } from '../../ui/words/format.ts';

/** How a connector is, the worst first. */
export type Condition = 'missing' | 'broken' | 'failing' | 'refusing' | 'paused' | 'unused' | 'answering';

export function conditionOf(connector: Connector): Condition {
  if (connector.is_missing) return 'missing';
  if (connector.state !== 'active') return connector.state;
  if (connector.failing_since !== null) return 'failing';
  if (connector.last_success_at === null) return connector.dead > 0 ? 'refusing' : 'unused';
  return 'answering';
}

export const CONDITION_ICONS: Readonly<Record<Condition, IconName>> = {
  missing: 'failed',
  broken: 'failed',
  failing: 'failed',
  refusing: 'failed',
  paused: 'paused',
  unused: 'pending',
  answering: 'check',
};

/** Somebody has to look after these. */
const TROUBLES: readonly Condition[] = ['broken', 'failing', 'refusing', 'missing'];
export const isTrouble = (condition: Condition): boolean => TROUBLES.includes(condition);

/** The state in words; an instant is shown on the viewer's clock. */
export function stateParts(connector: Connector): SentencePart[] {
  const since = (at: string | null): SentencePart[] => (at === null ? [] : [' since ', { at }]);
  switch (conditionOf(connector)) {
    case 'missing':
      return ['No longer in the configuration'];
    case 'broken':
      return ['Cannot be sent to', ...since(connector.state_at)];
    case 'paused':
      return [`Paused by ${connector.state_by?.name ?? 'former member'}`, ...since(connector.state_at)];
    case 'failing':
      return ['Not answering', ...since(connector.failing_since)];
    case 'refusing':
      return ['Refuses what is sent'];
    case 'unused':
      return ['Nothing sent yet'];
    case 'answering':
      return ['Answering'];
  }
}

function troubleParts(connector: Connector): SentencePart[] {
  const { name } = connector;
  switch (conditionOf(connector)) {
    case 'broken':
      return connector.state_at === null
        ? [`${name} cannot be sent to: messages to it wait.`]
        : [`${name} cannot be sent to since `, { at: connector.state_at }, ': messages to it wait.'];
    case 'failing':
      return [`${name} has not answered since `, { at: connector.failing_since ?? '' }, ': messages to it wait.'];
    case 'refusing':
      return [
        `${name} has taken nothing yet: ${plural(connector.dead, 'message')} to it ${connector.dead === 1 ? 'is' : 'are'} dead.`,
      ];
    default:
      return [`${name} is no longer in SVC_NOTIFY_CONNECTORS: nothing can be sent to it.`];
  }
}

/** The one line of the page: what somebody has to know first. */
export function describeConnectors(items: readonly Connector[]): SentencePart[] {
  if (items.length === 0) return ['Nobody is told of incidents: add a connector.'];
  const count = (...wanted: Condition[]): number => items.filter((one) => wanted.includes(conditionOf(one))).length;
  const [first, ...more] = TROUBLES.flatMap((trouble) => items.filter((one) => conditionOf(one) === trouble));
  if (first)
    return [
      ...troubleParts(first),
      ...(more.length > 0 ? [` ${plural(more.length, 'other')} ${more.length === 1 ? 'needs' : 'need'} a look too.`] : []),
    ];
  const paused = count('paused');
  if (paused === items.length)
    return [items.length === 1 ? 'The one connector is paused: messages wait.' : 'All connectors are paused: messages wait.'];
  const answering = count('answering');
  const rest = [
    ...(paused > 0 ? [`${paused} ${paused === 1 ? 'is' : 'are'} paused`] : []),
    ...(count('unused') > 0 ? [`${count('unused')} ${count('unused') === 1 ? 'has' : 'have'} sent nothing yet`] : []),
  ];
  if (answering === items.length)
    return [items.length === 1 ? 'The one connector answers.' : `All ${items.length} connectors answer.`];
  if (answering === 0 && paused === 0) return [`${plural(items.length, 'connector')}, nothing sent yet: send a test.`];
  return [`${answering} of ${plural(items.length, 'connector')} ${answering === 1 ? 'answers' : 'answer'}, ${rest.join(', ')}.`];
}

/** What went through in a day, and what did not. */
export function describeTraffic(items: readonly Connector[]): string {
  const sum = (of: (one: Connector) => number): number => items.reduce((total, one) => total + of(one), 0);
  const sent = sum((one) => one.sent_24h);
  const [waiting, dead] = [sum((one) => one.waiting), sum((one) => one.dead)];
  return `${plural(sent, 'message')} sent in 24 h, ${waiting === 0 ? 'none waiting' : `${waiting} waiting`}, ${dead === 0 ? 'none dead' : `${dead} dead`}.`;
}

export const STEP_WORDS: Readonly<Record<TrialStep['step'], string>> = {
  check: 'Check',
  open: 'Opened',
  resolve: 'Closed again',
};

export const OUTCOME_WORDS: Readonly<Record<TrialStep['outcome'], string>> = {
  sent: 'done',
  accepted: 'accepted; nothing says whether it arrived',
  not_needed: 'this provider has nothing to close',
  retry: 'not taken now, may work later',
  ambiguous: 'no clear answer: it may have been taken',
  final: 'refused',
  gone: 'not there any more',
  broken_credential: 'refused with this credential and these settings',
};

export const isFine = ({ outcome }: TrialStep): boolean => ['sent', 'accepted', 'not_needed'].includes(outcome);

/** What a connector can and cannot do, in the order in which somebody asks. */
export function promisesOf({ provider, abilities }: Connector): { what: string; words: string }[] {
  return [
    {
      what: 'Repeats',
      words: abilities.never_repeats
        ? 'Never two of one incident, whatever happens in between.'
        : 'After a cut in the middle of sending a message may come twice, marked as a possible repeat.',
    },
    { what: 'Follow-ups', words: abilities.updates ? 'Shown there, once in 5 minutes at most.' : 'Not shown there.' },
    {
      what: 'Acknowledgements',
      words: abilities.acknowledges ? 'Passed on.' : abilities.updates ? 'Passed on as an update.' : 'Not passed on.',
    },
    {
      what: 'Arrival',
      words: abilities.confirms ? 'Confirmed by the provider.' : 'Taken for arrived once the provider has answered.',
    },
    {
      what: 'Way back',
      words: abilities.comes_back
        ? 'By an inbound webhook, where one is set up.'
        : provider === 'webhook'
          ? 'None of its own; a program may call any inbound webhook in the portable form.'
          : 'None: this provider cannot.',
    },
  ];
}

type Shown = Pick<Connector, 'provider' | 'settings'>;

/** Slack's incoming webhook has no channel of its own to be told, a bot has one always. */
export const isSlackHook = ({ provider, settings }: Shown): boolean => provider === 'chat_a' && !settings.channel;

/** What a setting is where the form's word for it is about the other way to reach the provider. */
export function ownLabelOf(connector: Shown, name: string): string | undefined {
  if (!isSlackHook(connector)) return undefined;
  return { url: 'Incoming webhook of', credential: 'Webhook address' }[name];
}
