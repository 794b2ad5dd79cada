import type { Verb } from '@svc/contracts/notify/kinds';
import type { Message } from '#kernel';
import { cut } from '../domain/cut.ts';
import { forHtml, oneLine } from '../domain/escape.ts';
import { plainOf, summaryOf, textOf } from '../domain/templates.ts';

const LIMITS = { subject: 180, text: 50_000 };

export interface Mail {
  subject: string;
  text: string;
  html: string;
  /** The same for each attempt, so that a mail system that knows it already drops a repeat. */
  messageId: string;
  /** That of the opening, under which mail programs put the rest. */
  threadId: string;
}

const HEADS: Readonly<Record<Verb, string>> = {
  open: '',
  update: '',
  acknowledge: 'Acknowledged: ',
  resolve: 'Resolved: ',
  reopen: 'Open again: ',
};

/** Strangers' words stand in text and attributes alone: no image, no style of theirs, and one link, which is ours. */
function htmlOf(message: Message, verb: Verb): string {
  const { headline, title, notes, facts, together, link } = textOf(message, verb);
  const rows = facts.map(([name, value]) => `<tr><th align="left">${forHtml(name)}</th><td>${forHtml(value)}</td></tr>`);
  const others = together.map(({ line, url }) => `<li><a href="${forHtml(url)}">${forHtml(line)}</a></li>`);
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8"><body style="font-family:sans-serif">',
    `<p><strong>${forHtml(headline)}</strong><br>${forHtml(title)}</p>`,
    ...notes.map((note) => `<p>${forHtml(note).replace(/\n/g, '<br>')}</p>`),
    `<table cellpadding="3">${rows.join('')}</table>`,
    ...(others.length > 0 ? [`<p>Together with:</p><ul>${others.join('')}</ul>`] : []),
    `<p><a href="${forHtml(link.url)}">${forHtml(link.label)}</a></p></body></html>`,
  ].join('\n');
}

export function mailOf(message: Message, verb: Verb, domain: string): Mail {
  const { before, title, after } = summaryOf(message);
  const text = textOf(message, verb);
  const head = `${HEADS[verb]}${before}`;
  const idOf = (of: Verb, atMs: number): string => `<${message.key}.${message.generation}.${of}.${atMs}@${domain}>`;
  return {
    subject: oneLine(`${head}${cut(title, LIMITS.subject - head.length - after.length)}${after}`),
    text: `${cut(plainOf(text), LIMITS.text)}\n\n${text.link.label}:\n${text.link.url}\n`,
    html: htmlOf(message, verb),
    messageId: verb === 'open' ? idOf('open', 0) : idOf(verb, message.at.getTime()),
    threadId: idOf('open', 0),
  };
}
