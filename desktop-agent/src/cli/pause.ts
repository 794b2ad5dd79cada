import { AgentError } from '../agent-error.ts';
import { clockWords } from '../attribution/onset.ts';
import { askAgent } from './ask-agent.ts';
import type { Command } from './command.ts';

const MAX_MINUTES = 10_080;

function readMinutes(words: readonly string[]): number {
  const [text = ''] = words;
  const minutes = Number(text);
  if (words.length === 1 && /^\d+$/.test(text) && minutes >= 1 && minutes <= MAX_MINUTES) return minutes;
  throw new AgentError('usage', `Give the minutes, for example "svc-agent pause 60" for an hour; 1 to ${MAX_MINUTES} minutes.`);
}

export const pauseCommand: Command = {
  summary: 'measure and send nothing for a while',
  help: `svc-agent pause MINUTES

The running agent ends what it measures within a second, sends nothing more and begins again by itself. The pause holds
over a restart. Your organisation sees "paused until", never what happens meanwhile, and may bound how long a pause is.

  MINUTES   1 to ${MAX_MINUTES}; "svc-agent resume" ends it earlier`,
  options: {},
  words: 1,
  async run(_options, io, words) {
    const minutes = readMinutes(words);
    const { pausedUntilMs } = await askAgent((client) => client.call('pause', { minutes }));
    io.out(`Paused until ${clockWords(pausedUntilMs ?? Date.now(), Date.now())}.`);
    return 0;
  },
};

export const resumeCommand: Command = {
  summary: 'end a pause',
  help: `svc-agent resume

The running agent measures and sends again at once.`,
  options: {},
  async run(_options, io) {
    await askAgent((client) => client.call('pause', { minutes: 0 }));
    io.out('Measuring again.');
    return 0;
  },
};
