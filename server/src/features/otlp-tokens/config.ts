import { parseList, parseTenantId, secretKey, type TenantId } from '#kernel';

export interface ConfiguredToken {
  token: string;
  tenant: TenantId;
}

/** The last "=" divides: a token may end in some. */
function parsePair(text: string): ConfiguredToken {
  const at = text.lastIndexOf('=');
  const [token, tenant] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || !/^[\x21-\x7e]{1,1000}$/.test(token)) throw new Error('must be <token>=<tenant>');
  return { token, tenant: parseTenantId(tenant) };
}

function parsePairs(text: string): readonly ConfiguredToken[] {
  const pairs = parseList(parsePair)(text);
  if (new Set(pairs.map(({ token }) => token)).size < pairs.length) throw new Error('assigns one token to two tenants');
  return pairs;
}

/** Tokens of OTLP senders that need no row made by a person. */
export const otlpTokenKeys = {
  tokens: secretKey({
    key: 'SVC_OTLP_TOKENS',
    parse: parsePairs,
    defaultText: 'unset; a fleet that receives has to set it',
    doc: 'Tokens that may send OTLP: <token>=<tenant>, comma-separated; more of them are created in the console.',
  }),
};
