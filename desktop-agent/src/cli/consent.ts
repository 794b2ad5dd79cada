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

Prints what is collected and answers the running agent for the person whose device it is; the answer is kept with the words printed. Declined, nothing is measured or sent; the organisation sees
"declined". The answer survives restarts and may be changed at any time.`,
  options: {},
  words: 1,
  async run(_options, io, [word = '']) {
    const answer = Object.hasOwn(ANSWERS, word) ? ANSWERS[word as keyof typeof ANSWERS] : undefined;
    if (!answer) throw new AgentError('usage', 'Use "svc-agent consent accept" or "svc-agent consent decline".');
    const { createWords } = await import('../i18n/words.ts');
    const { systemTags } = await import('../i18n/system-tags.ts');
    const { disclosureText } = await import('../i18n/disclosure-text.ts');
    const { disclosure } = await askAgent(async (client) => {
      const view = await client.call('disclosure', {});
      // What is answered is printed first: the answer is kept with these words.
      const text = disclosureText(createWords('en', systemTags()), view, Date.now());
      io.out(text);
      return await client.call('answerDisclosure', { answer, of: view.id, words: { language: 'en', text } });
    });
    io.out(WORDS[disclosure]);
    return 0;
  },
};
