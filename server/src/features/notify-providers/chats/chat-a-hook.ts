import type { Verb } from '@svc/contracts/notify/kinds';
import type { Connection, Message, Outcome } from '#kernel';
import { type Answered, createAsk, judge, sayOf, secretsOf } from '../calls/ask.ts';
import type { ProviderDeps } from '../context.ts';
import { textOf } from '../domain/templates.ts';
import { blocksOf, textForNotification } from './chat-a-blocks.ts';

/** An incoming webhook: its address is the credential, its answer one word, and a post once made cannot be touched again. */

const wordsOf = ({ text }: Answered): string | undefined => (/^[\w .-]{1,100}$/.test(text.trim()) ? text.trim() : undefined);
/** The webhook as such is gone: whoever removed it has to make another. */
const BROKEN = /no_service|no_team|team_disabled|invalid_token|action_prohibited/;

export function createHook({ outbound, now }: ProviderDeps) {
  const ask = createAsk({ outbound });
  const post = async (to: Connection, message: Message, verb: Verb): Promise<Outcome> => {
    const secrets = secretsOf(to);
    const body = {
      text: textForNotification(textOf(message, verb)),
      blocks: blocksOf(message, verb),
      unfurl_links: false,
      unfurl_media: false,
    };
    const reply = await ask(to, { url: to.credential, body });
    if (!reply.ok) return reply.refused;
    const { answer } = reply;
    if (answer.status === 200 && answer.text.trim() === 'ok') return { is: 'sent', reference: null, said: 'ok' };
    if (answer.status >= 400 && answer.status < 500 && BROKEN.test(answer.text))
      return { is: 'broken_credential', said: sayOf(`${answer.status} ${wordsOf(answer) ?? ''}`, secrets) };
    return judge(answer, { nowMs: now(), words: wordsOf, doubts: false, secrets });
  };
  return {
    post,
    /** A message without any text is refused, and by a webhook that is gone it is refused in other words. */
    check: async (to: Connection): Promise<Outcome> => {
      const reply = await ask(to, { url: to.credential, body: {} });
      if (!reply.ok) return reply.refused;
      const { answer } = reply;
      if (answer.status === 400 && /no_text|invalid_payload|invalid_blocks|missing_text/.test(answer.text))
        return { is: 'sent', reference: null, said: 'The webhook is there.' };
      if (BROKEN.test(answer.text) || answer.status === 404)
        return { is: 'broken_credential', said: sayOf(`${answer.status} ${wordsOf(answer) ?? ''}`, secretsOf(to)) };
      return judge(answer, { nowMs: now(), words: wordsOf, doubts: false, secrets: secretsOf(to) });
    },
  };
}
