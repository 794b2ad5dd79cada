const MIN_CHARACTERS = 12;
const MAX_CHARACTERS = 256;

/** What is wrong with a new password, in words for its owner; undefined when nothing is. */
export function findPasswordFault(password: string, email: string): string | undefined {
  const characters = [...password].length;
  if (characters < MIN_CHARACTERS) return `Use at least ${MIN_CHARACTERS} characters.`;
  if (characters > MAX_CHARACTERS) return `Use at most ${MAX_CHARACTERS} characters.`;
  if (new Set(password).size < 5) return 'Use at least 5 different characters.';
  const [name] = email.toLowerCase().split('@');
  if (password.toLowerCase() === email.toLowerCase() || (name && name.length >= 5 && password.toLowerCase() === name.repeat(2))) {
    return 'Use something other than your e-mail address.';
  }
  return undefined;
}

const EMAIL = /^[^\s@<>"(),:;[\]\\]{1,64}@[^\s@<>"(),:;[\]\\]{1,190}$/;

/** The longest that a form may send; anything longer is refused before it is worked on. */
const MAX_EMAIL_LENGTH = 254;

/**
 * The address as it is kept, or undefined when it is not one. Letters that look alike because they are compatibility forms (full width,
 * ligatures) become one, and invisible characters are refused, so that no second account reads like the first.
 */
export function normaliseEmail(text: string): string | undefined {
  if (text.length > 2 * MAX_EMAIL_LENGTH) return undefined;
  const email = text.normalize('NFKC').trim();
  return EMAIL.test(email) && !/\p{C}/u.test(email) && email.length <= MAX_EMAIL_LENGTH ? email.toLowerCase() : undefined;
}

const foldAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/**
 * Whether two addresses are one, as they stand: only the case of A to Z is ignored. For addresses that somebody else verified, where
 * folding more would match what its owner cannot receive.
 */
export const isSameAddress = (a: string, b: string): boolean => a !== '' && foldAscii(a) === foldAscii(b);
