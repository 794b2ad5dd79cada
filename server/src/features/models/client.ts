import type { LanguageModel } from 'ai';
import { createFetch, type Outbound } from '#outbound';
import type { ModelConfig } from './config.ts';

/** An answer of a model is text of a few kilobytes; what is larger is no answer. */
const MAX_ANSWER_BYTES = 1_048_576;

/** Loaded when the first question is asked: the libraries take some tens of megabytes. */
export async function openModel(
  { provider, url, model, key, structured, timeoutSeconds }: ModelConfig,
  outbound: Pick<Outbound, 'send'>,
  localOnly: boolean,
): Promise<LanguageModel> {
  const fetch = createFetch(outbound, {
    purpose: 'model',
    timeoutMs: timeoutSeconds * 1000,
    maxBytes: MAX_ANSWER_BYTES,
    localOnly,
  });
  if (provider === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ baseURL: url ?? '', apiKey: key?.reveal() ?? '', fetch })(model ?? '');
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  return createOpenAICompatible({
    ...{ name: 'configured', baseURL: url ?? '', fetch, supportsStructuredOutputs: structured },
    ...(key ? { apiKey: key.reveal() } : {}),
  })(model ?? '');
}
