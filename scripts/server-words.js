import { createInterface } from 'node:readline';

const WORDS = { 40: 'Warning', 50: 'Error', 60: 'Fatal' };

/**
 * One line of the server's JSON log in words for a terminal; what is no such line stays as it is.
 * @param {string} line
 * @returns {string}
 */
export function toWords(line) {
  let entry;
  try {
    entry = JSON.parse(line);
  } catch {
    return line;
  }
  if (typeof entry?.msg !== 'string') return line;
  const why = entry.err?.message ?? entry.reason ?? entry.detail;
  return `${WORDS[entry.level] ?? 'Note'}: ${entry.msg}${why ? ` (${why})` : ''}`;
}

/**
 * Shows a server's log to a person, line by line.
 * @param {import('node:stream').Readable} log
 * @param {NodeJS.WritableStream} terminal
 */
export function showInWords(log, terminal) {
  createInterface({ input: log }).on('line', (line) => terminal.write(`${toWords(line)}\n`));
}
