import { readEnvironment } from '../env.ts';

/**
 * The tag of the locale that a terminal asks for, as `en_US` of LC_ALL, LC_TIME or LANG; where none of them is set, as on Windows, the
 * system's own. Empty for the plain locale of programs (C, POSIX): its clock has 24 hours.
 */
export function systemTags(): string[] {
  const { LC_ALL: all, LC_TIME: time, LANG: lang } = readEnvironment();
  const asked = [all, time, lang].find((one) => one !== undefined && one !== '');
  if (asked === undefined) return process.platform === 'linux' ? [] : [Intl.DateTimeFormat().resolvedOptions().locale];
  const tag = asked.replace(/[.@].*$/, '');
  return tag === 'C' || tag === 'POSIX' ? [] : [tag];
}
