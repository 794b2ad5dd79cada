import type { Verb } from '@svc/contracts/notify/kinds';
import type { Message } from '#kernel';
import { cut } from '../domain/cut.ts';
import { forSlack } from '../domain/escape.ts';
import { type Text, textOf } from '../domain/templates.ts';

/** Slack's Block Kit: a message that breaks one of its limits is refused as a whole, so that the worst incidents would be the lost ones. */

const LIMITS = { field: 400, fields: 10, note: 600, notes: 2000, title: 900, line: 200, together: 20, section: 2800 };
/** Of all blocks together, where Slack refuses at about 13,000. */
const MOST_OF_ALL = 11_000;

interface Words {
  type: 'mrkdwn';
  text: string;
  /** Leaves addresses and names in the text as they are. */
  verbatim: true;
}
export interface Block {
  type: 'section' | 'context' | 'actions';
  text?: Words;
  fields?: Words[];
  elements?: unknown[];
}

const words = (text: string): Words => ({ type: 'mrkdwn', text, verbatim: true });
/** At most so long when escaped, shortened before that, so that no entity is cut in two. */
function escaped(text: string, most: number): string {
  let room = most;
  let made = forSlack(cut(text, room));
  while (made.length > most) {
    room = Math.floor(room * 0.7);
    made = forSlack(cut(text, room));
  }
  return made;
}

const DOTS: Readonly<Record<Verb, string>> = { open: '🔴', update: '🔴', acknowledge: '🟡', resolve: '🟢', reopen: '🔴' };
const dotOf = ({ incident }: Message, verb: Verb): string =>
  verb === 'update' && incident.status === 'acknowledged' ? DOTS.acknowledge : DOTS[verb];

/** A link's address must not end the link. */
const urlOf = (url: string): string => url.replace(/[<>|]/g, encodeURIComponent);

const notesOf = ({ notes }: Text): string => notes.map((note) => cut(note, LIMITS.note)).join('\n');

function factFields({ facts }: Text): Words[] {
  return facts.slice(0, LIMITS.fields).map(([name, value]) => words(`*${name}*\n${escaped(value, LIMITS.field)}`));
}

function togetherOf({ together }: Text): string {
  const lines = together.slice(0, LIMITS.together).map(({ line, url }) => `• <${urlOf(url)}|${escaped(line, LIMITS.line)}>`);
  let text = '';
  for (const line of lines) if (text.length + line.length < LIMITS.section) text += `${line}\n`;
  return text.trimEnd();
}

/** What a notification reads out; with blocks it is all that a screen reader gets. */
export function textForNotification(text: Text): string {
  return `${forSlack(text.headline)}: ${escaped(text.title, LIMITS.title)} ${urlOf(text.link.url)}`;
}

export function blocksOf(message: Message, verb: Verb): Block[] {
  const text = textOf(message, verb);
  const title = `${dotOf(message, verb)} *${forSlack(text.headline)}*\n${escaped(text.title, LIMITS.title)}`;
  const notes = notesOf(text);
  const together = togetherOf(text);
  const blocks: Block[] = [
    { type: 'section', text: words(title) },
    ...(notes ? [{ type: 'section' as const, text: words(escaped(notes, LIMITS.notes)) }] : []),
    { type: 'section', fields: factFields(text) },
    ...(together ? [{ type: 'section' as const, text: words(together) }] : []),
    { type: 'context', elements: [words(`<${urlOf(text.link.url)}|${forSlack(text.link.label)}>`)] },
  ];
  const size = JSON.stringify(blocks).length;
  // Facts go first: they stand behind the link too.
  return size <= MOST_OF_ALL ? blocks : blocks.filter(({ fields }) => !fields);
}

/** A reply in the thread: what happened, without the facts that stand above it. `isNamed`: the thread is of several incidents. */
export function replyOf(message: Message, verb: Verb, { isNamed }: { isNamed: boolean }): { text: string; blocks: Block[] } {
  const text = textOf(message, verb);
  const notes = notesOf(text);
  const title = isNamed ? `\n${escaped(text.title, LIMITS.title)}` : '';
  const said = `${dotOf(message, verb)} *${forSlack(text.headline)}*${title}${notes ? `\n${escaped(notes, LIMITS.notes)}` : ''}`;
  return {
    text: `${forSlack(text.headline)}${notes ? `: ${escaped(notes, LIMITS.title)}` : ''}`,
    blocks: [
      { type: 'section', text: words(said) },
      { type: 'context', elements: [words(`<${urlOf(text.link.url)}|${forSlack(text.link.label)}>`)] },
    ],
  };
}
