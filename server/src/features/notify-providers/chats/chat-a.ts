import type { Verb } from '@svc/contracts/notify/kinds';
import type { Connection, Message, Outcome, Provider, Reference } from '#kernel';
import { field, readConnection } from '../calls/connection.ts';
import { type About, newObjectOnly, nothingToDo, type ProviderDeps, unasked } from '../context.ts';
import { createBot } from './chat-a-bot.ts';
import { createHook } from './chat-a-hook.ts';

/** Slack, by a bot token with threads and look-up, or by an incoming webhook (docs/notify/slack.md). */

const FIELDS = [
  field('url', 'Web API', {
    help: 'Of a bot token: https://slack.com/api. Nothing for an incoming webhook, whose address is its credential.',
    ...{ fallback: 'https://slack.com/api', placeholder: 'https://slack.com/api' },
  }),
  field('credential', 'Bot token or webhook address', {
    help: 'A bot token (xoxb-...) with chat:write and, to find posts again, channels:history or groups:history; invite the bot to the channel. Or the address of an incoming webhook (https://hooks.slack.com/services/...).',
    ...{ is_secret: true, is_required: true, placeholder: 'xoxb-...' },
  }),
  field('channel', 'Channel', {
    help: "Of a bot token: the channel's id (its name > View channel details, at the end), such as C0123456789.",
  }),
  field('channel_name', 'Name of the channel', { help: 'As people call it, shown here only.', placeholder: '#network' }),
  field('history', 'May read the channel', {
    help: 'no: after a cut in the middle of sending a post may come twice, marked as a possible repeat.',
    ...{ fallback: 'yes', choices: ['yes', 'no'] },
  }),
];

const isHook = (to: Connection): boolean => to.credential.startsWith('https://');

/** In the environment's form a webhook's address stands where others have theirs. */
function moveHook(given: Connection): Connection {
  const isAddress = given.credential.trim() === '' && /^https:\/\/.+\/services\//.test(given.url.trim());
  return isAddress ? { ...given, url: '', credential: given.url.trim() } : given;
}

function parse(given: Connection): Connection {
  const moved = moveHook(given);
  const { to, faults } = readConnection(moved, { fields: FIELDS });
  if (isHook(to)) {
    const url = URL.parse(to.credential);
    if (!url || url.username || url.hash || url.search)
      faults.add('credential', 'The address of a webhook has no user, query or fragment.');
    faults.throwAny();
    // Nothing else of the form is about a webhook: it knows its channel itself and reads none.
    return { ...to, url: url?.origin ?? '', settings: { channel_name: to.settings.channel_name ?? '' } };
  }
  if (to.credential && !/^xox[a-z]-[\w-]+$/.test(to.credential))
    faults.add('credential', 'A bot token begins with xoxb-, the address of a webhook with https://.');
  if (!/^[CGD][A-Z0-9]{6,}$/.test(to.settings.channel ?? ''))
    faults.add('channel', "A bot token needs the channel's id, such as C0123456789: a name works for posting alone.");
  faults.throwAny();
  return to;
}

const ABOUT: About = {
  ...{ kind: 'chat_a', name: 'Slack', fields: FIELDS, parse },
  testWarning: 'A test posts in the channel: whoever follows it may be notified.',
  capabilities: (to) =>
    isHook(to)
      ? {
          ...{ hasKey: false, canBeFound: false, canUpdate: false, canAcknowledge: false, canResolve: true },
          ...{ reopens: 'new', confirms: false, canLook: false },
        }
      : {
          ...{ hasKey: false, canBeFound: to.settings.history !== 'no', canUpdate: true, canAcknowledge: true, canResolve: true },
          ...{ reopens: 'same', confirms: false, canLook: false },
        },
  // About one a second for each channel or webhook.
  pace: () => ({ perMinute: 50, concurrency: 1, burst: 5, gathers: 20 }),
};

export function createChatA(deps: ProviderDeps): Provider {
  const [bot, hook] = [createBot(deps), createHook(deps)];
  const reply = (verb: Verb) => {
    return async (to: Connection, message: Message, reference: Reference | null): Promise<Outcome> =>
      isHook(to) ? await nothingToDo() : await bot.reply(to, { message, verb, reference });
  };
  return {
    ...ABOUT,
    ...unasked,
    check: (to) => (isHook(to) ? hook.check(to) : bot.check(to)),
    open: (to, message) => (isHook(to) ? hook.post(to, message, 'open') : bot.open(to, message)),
    update: reply('update'),
    acknowledge: reply('acknowledge'),
    resolve: (to, message, reference) =>
      isHook(to) ? hook.post(to, message, 'resolve') : bot.reply(to, { message, verb: 'resolve', reference }),
    reopen: (to, message, reference) => (isHook(to) ? newObjectOnly() : bot.reply(to, { message, verb: 'reopen', reference })),
    find: (to, message, sentAtMs) => (isHook(to) ? unasked.find(to, message, sentAtMs) : bot.find(to, message, sentAtMs)),
  };
}
