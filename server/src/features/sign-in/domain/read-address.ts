type Claims = Readonly<Record<string, unknown>>;

const MAX_ADDRESS_LENGTH = 254;

/** The address that a provider names and whether it has verified that very one: one answer's word does not count for another's address. */
export function readAddress(idToken: Claims, userInfo: Claims): { email: string; emailVerified: boolean } {
  const email = idToken.email ?? userInfo.email;
  if (typeof email !== 'string' || email.length > MAX_ADDRESS_LENGTH) return { email: '', emailVerified: false };
  const words = [idToken, userInfo].filter((claims) => claims.email === email).map((claims) => claims.email_verified);
  const word = words.find((one) => one !== undefined);
  return { email, emailVerified: word === true || word === 'true' };
}
