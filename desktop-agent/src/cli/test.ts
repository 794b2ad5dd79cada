import type { ServiceState } from '@svc/contracts/agent/ipc';
import { AgentError } from '../agent-error.ts';
import { deepFindings, deepTestCost } from '../i18n/deep-words.ts';
import { verdictSentence } from '../i18n/verdict-words.ts';
import { createWords } from '../i18n/words.ts';
import type { ServiceClient } from '../ipc/client.ts';
import { askAgent } from './ask-agent.ts';
import type { Command } from './command.ts';

/** Beyond what the agent promises: then it is gone, or hangs. */
const LIMIT_MS = 40_000;
const MARKS = { good: 'ok', bad: '!!', unknown: '--' } as const;

/** The first state in which it holds. */
async function stateWith(client: ServiceClient, isOver: (state: ServiceState) => boolean): Promise<ServiceState> {
  const found = Promise.withResolvers<ServiceState>();
  const look = (state: ServiceState): void => {
    if (isOver(state)) found.resolve(state);
  };
  client.on('state', look);
  const late = setTimeout(() => found.reject(new AgentError('unreachable', 'The test did not end.')), LIMIT_MS);
  client.closed.then(() => found.reject(new AgentError('unreachable', 'The agent ended the connection.')));
  try {
    look(await client.call('watch', {}));
    return await found.promise;
  } finally {
    clearTimeout(late);
  }
}

async function testDeeper(client: ServiceClient): Promise<string> {
  const words = createWords('en');
  await client.call('testDeeper', {});
  const { deepTest } = await stateWith(client, (state) => state.deepTest?.running === false);
  if (!deepTest) throw new AgentError('internal', 'The test left no result.');
  const lines = deepFindings(words, deepTest).map(
    ({ part, tone, text }) => `${MARKS[tone]}  ${words.t(`deep.part.${part}`).padEnd(17)}${text}`,
  );
  const time = words.clock(deepTest.startedMs);
  return [...(deepTest.failed ? [words.t('deep.failed', { time })] : []), ...lines].join('\n');
}

async function testNow(client: ServiceClient): Promise<string> {
  const words = createWords('en');
  await client.call('testNow', {});
  const { test, verdict } = await stateWith(client, (state) => state.test?.running === false);
  if (!test || test.failed) throw new AgentError('internal', 'The test could not be finished.');
  if (!verdict) return words.t('state.pending.title');
  const { title, detail } = verdictSentence(words, verdict, Date.now());
  return `${title}. ${detail}`;
}

export const testCommand: Command = {
  summary: 'let the running agent test now',
  help: `svc-agent test [--deep]

The running agent measures everything at once and says its verdict, within 30 s.

  --deep   load the line to your control plane (up to 5 MB each way), look for the largest packets that
           arrive, ping the gateway 25 times and trace the path, within 30 s; nothing of the result is sent`,
  options: { deep: { type: 'boolean' } },
  async run(options, io) {
    if (options.deep === true) io.tell(deepTestCost(createWords('en')));
    io.out(await askAgent(options.deep === true ? testDeeper : testNow));
    return 0;
  },
};
