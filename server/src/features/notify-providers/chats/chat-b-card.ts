import type { Verb } from '@svc/contracts/notify/kinds';
import type { Message } from '#kernel';
import { cut } from '../domain/cut.ts';
import { forTeams } from '../domain/escape.ts';
import { type Text, textOf } from '../domain/templates.ts';

/** Adaptive Cards 1.4 for Teams: the whole message is 28 KB at most, and one that breaks the card's schema is lost without a word. */

export const MOST_BYTES = 28 * 1024;
/** Below it, since the envelope of the flow counts too. */
const ROOM_BYTES = 24 * 1024;

interface Limits {
  title: number;
  notes: number;
  fact: number;
  together: number;
}
/** The first that fits is taken: the link and the headline never go. */
const STEPS: readonly Limits[] = [
  { title: 1000, notes: 6000, fact: 500, together: 20 },
  { title: 600, notes: 1500, fact: 250, together: 20 },
  { title: 300, notes: 400, fact: 120, together: 10 },
  { title: 150, notes: 0, fact: 60, together: 0 },
];

const COLOURS: Readonly<Record<Verb, string>> = {
  ...{ open: 'attention', update: 'attention', acknowledge: 'warning', resolve: 'good', reopen: 'attention' },
};

/** Signs that would end a link of Markdown. */
const forLink = (url: string): string => url.replace(/[()\\\s]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

const block = (text: string, more: object = {}): object => ({ type: 'TextBlock', text, wrap: true, ...more });

function cardOf(text: Text, verb: Verb, limits: Limits): object {
  const notes = limits.notes > 0 ? cut(text.notes.join('\n\n'), limits.notes) : '';
  const together = text.together
    .slice(0, limits.together)
    .map(({ line, url }) => `- [${forTeams(cut(line, limits.fact))}](${forLink(url)})`);
  const rest = text.together.length - together.length;
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    ...{ type: 'AdaptiveCard', version: '1.4', fallbackText: text.headline },
    body: [
      block(forTeams(text.headline), { weight: 'bolder', size: 'medium', color: COLOURS[verb] }),
      block(forTeams(cut(text.title, limits.title))),
      ...(notes ? [block(forTeams(notes))] : []),
      { type: 'FactSet', facts: text.facts.map(([title, value]) => ({ title, value: forTeams(cut(value, limits.fact)) })) },
      ...(together.length > 0 ? [block(together.join('\n'))] : []),
      ...(rest > 0 ? [block(`and ${rest} more`)] : []),
    ],
    actions: [{ type: 'Action.OpenUrl', title: text.link.label, url: text.link.url }],
    msteams: { width: 'Full' },
  };
}

/** As JSON, within Teams' size whatever the incident's texts are; undefined where not even the smallest fits. */
export function messageOf(message: Message, verb: Verb): string | undefined {
  const text = textOf(message, verb);
  for (const limits of STEPS) {
    const content = cardOf(text, verb, limits);
    const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content };
    const json = JSON.stringify({ type: 'message', attachments: [attachment] });
    if (Buffer.byteLength(json) <= ROOM_BYTES) return json;
  }
  return undefined;
}
