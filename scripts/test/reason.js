// Why a test failed, in one line for the closing lines of a run: of a long log its end is what a person sees first.
import { stripVTControlCharacters } from 'node:util';

/** Characters of the longest reason. */
const MOST = 400;

/** The message of an error, and the difference where it knows one, in one line; undefined where it says nothing. */
export function reasonOf({ message = '', diff = '' } = {}) {
  const words = stripVTControlCharacters(`${message} ${diff}`).replace(/\s+/g, ' ').trim();
  if (words === '') return undefined;
  return words.length > MOST ? `${words.slice(0, MOST)}…` : words;
}

/** A line of the account with its reason below, where there is one. */
export const withReason = (line, reason) => (reason ? `${line}\n  because: ${reason}` : line);
