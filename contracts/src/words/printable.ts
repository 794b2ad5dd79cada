/**
 * What a terminal obeys instead of showing it: C0 and C1 controls, DEL and what turns the direction of writing. Line feed and tab stay. A
 * network, a server or another person may have put them into a name.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const COMMANDS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The text for a terminal: each such character as JSON writes it (`\u001b`), so that it is seen, and JSON stays the same JSON. */
export const printable = (text: string): string =>
  text.replace(COMMANDS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
