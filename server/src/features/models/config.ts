import {
  type ConfigOf,
  configKey,
  type Fault,
  parseBoolean,
  parseInteger,
  parseOneOf,
  parseText,
  parseUrl,
  secretKey,
} from '#kernel';

/** A model that may be asked (docs/causes.md): none unless all of these are set. */
export const modelKeys = {
  provider: configKey({
    key: 'SVC_AI_MODEL_PROVIDER',
    parse: parseOneOf(['openai_compatible', 'anthropic']),
    defaultText: 'unset: no model is asked',
    doc: 'Who speaks for the model at SVC_AI_MODEL_URL: openai_compatible (any server with /chat/completions) or anthropic.',
  }),
  url: configKey({
    key: 'SVC_AI_MODEL_URL',
    parse: parseUrl('https', 'http'),
    doc: 'Base URL of the model, with its version, for example https://models.example/v1. http:// is taken for a loopback address that SVC_OUTBOUND_ALLOW names with its port.',
  }),
  model: configKey({ key: 'SVC_AI_MODEL', parse: parseText(200), doc: 'Name of the model as its server knows it.' }),
  key: secretKey({
    key: 'SVC_AI_MODEL_KEY',
    parse: parseText(4096),
    doc: 'API key of the model; unset where its server wants none.',
  }),
  structured: configKey({
    key: 'SVC_AI_MODEL_STRUCTURED',
    parse: parseBoolean,
    fallback: true,
    defaultText: 'true',
    doc: 'Whether the model’s server enforces a JSON schema; false asks for JSON in words. The answer is checked either way.',
  }),
  timeoutSeconds: configKey({
    key: 'SVC_AI_MODEL_TIMEOUT_SECONDS',
    parse: parseInteger(1, 600),
    fallback: 60,
    defaultText: '60',
    doc: 'How long one answer of the model is waited for.',
  }),
  tokensPerDay: configKey({
    key: 'SVC_AI_MODEL_TOKENS_PER_DAY',
    parse: parseInteger(1000, 1_000_000_000),
    fallback: 500_000,
    defaultText: '500000',
    doc: 'Tokens, asked and answered, that one tenant may use of the model in a day (UTC).',
  }),
  secondsPerDay: configKey({
    key: 'SVC_AI_MODEL_SECONDS_PER_DAY',
    parse: parseInteger(10, 86_400),
    fallback: 3600,
    defaultText: '3600',
    doc: 'Seconds that one tenant may keep the model busy in a day (UTC).',
  }),
};
export type ModelConfig = ConfigOf<typeof modelKeys>;

/** Faults of keys that fit one by one and not together. */
export function findModelFaults({ provider, url, model, key }: ModelConfig): Fault[] {
  const faults: Fault[] = [];
  const together = (path: string, value: unknown): void => {
    if (provider !== undefined && value === undefined)
      faults.push({ path, message: 'must be set together with SVC_AI_MODEL_PROVIDER' });
    if (provider === undefined && value !== undefined)
      faults.push({ path: 'SVC_AI_MODEL_PROVIDER', message: `must be set together with ${path}` });
  };
  together('SVC_AI_MODEL_URL', url);
  together('SVC_AI_MODEL', model);
  if (provider === undefined && key)
    faults.push({ path: 'SVC_AI_MODEL_PROVIDER', message: 'must be set together with SVC_AI_MODEL_KEY' });
  if (provider === 'anthropic' && !key)
    faults.push({ path: 'SVC_AI_MODEL_KEY', message: 'must be set for the provider anthropic' });
  if (url !== undefined) {
    const { username, password, search, hash } = new URL(url);
    if (username || password)
      faults.push({ path: 'SVC_AI_MODEL_URL', message: 'holds a user or password: the key is SVC_AI_MODEL_KEY.' });
    if (search || hash) faults.push({ path: 'SVC_AI_MODEL_URL', message: 'must have neither a query nor a fragment.' });
  }
  return faults;
}
