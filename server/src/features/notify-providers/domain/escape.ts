/** Strangers wrote titles, targets and sites: each provider reads other signs in them. */

/** Marks that turn the direction of text, and what terminals and logs obey. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Text of any length without what no reader should get; lines stay. */
export const clean = (text: string): string => text.toWellFormed().replace(/\r\n?/g, '\n').replace(CONTROLS, '');

/** On one line. */
export const oneLine = (text: string): string => clean(text).replace(/\s+/g, ' ').trim();

/** Slack's three, and no others: with them no `<!channel>`, `<@U...>` or link can be written. */
export const forSlack = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

const ZERO_WIDTH = '\u200b';

/** Markdown of Adaptive Cards; and `{{DATE(...)}}`, which a card computes. */
export const forTeams = (text: string): string =>
  text
    .replace(/[\\*_[\]~`<>|]/g, '\\$&')
    .replace(/^(\s*\d*)([#+.)-])(?=[\s#])/gm, '$1\\$2')
    .replace(/\{(?=\{)/g, `{${ZERO_WIDTH}`);

/** Jira's wiki markup: macros, links with mentions, images, tables, formatting, and what begins a line. */
export const forJira = (text: string): string =>
  text
    .replace(/[\\{}[\]!|*_^~+?#]/g, '\\$&')
    .replace(/^(\s*)(h[1-6]|bq)\./gim, `$1$2${ZERO_WIDTH}.`)
    .replace(/^(\s*)-/gm, '$1\\-');

/** ServiceNow shows HTML between `[code]` and `[/code]` of its journal. */
export const forServiceNow = (text: string): string => text.replace(/\[(?=\/?code\])/gi, `[${ZERO_WIDTH}`);

/** Opsgenie shows a description's HTML in some places and its text in others: no tag begins here in either. */
export const forOpsgenie = (text: string): string => text.replace(/<(?=[a-z!/?])/gi, `<${ZERO_WIDTH}`);

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
export const forHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
