import { AgentError } from '../agent-error.ts';
import { askAgent } from './ask-agent.ts';
import type { Command } from './command.ts';

const ANSWERS = { accept: 'accepted', decline: 'declined' } as const;
const WORDS = {
  not_shown: 'More would be collected than was shown: it waits until "svc-agent run" or a window has shown it.',
  shown: 'It was shown.',
  accepted: 'Accepted: the agent measures.',
  declined: 'Declined: nothing is measured or sent. Your organisation sees that it was declined.',
} as const;

export const consentCommand: Command = {
  summary: 'accept or decline what is collected',
  help: `svc-agent consent accept|decline

Answers the running agent for the person whose device it is. Declined, nothing is measured or sent; the organisation sees
"declined". The answer survives restarts and may be changed at any time. What is collected is printed by "svc-agent run".`,
  options: {},
  words: 1,
  async run(_options, io, [word = '']) {
    const answer = Object.hasOwn(ANSWERS, word) ? ANSWERS[word as keyof typeof ANSWERS] : undefined;
    if (!answer) throw new AgentError('usage', 'Use "svc-agent consent accept" or "svc-agent consent decline".');
    const { disclosure } = await askAgent((client) => client.call('answerDisclosure', { answer }));
    io.out(WORDS[disclosure]);
    return 0;
  },
};
