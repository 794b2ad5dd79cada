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

/** The address as it is kept, or undefined when it is not one. */
export function normaliseEmail(text: string): string | undefined {
  const email = text.trim();
  return EMAIL.test(email) && email.length <= 254 ? email.toLowerCase() : undefined;
}
