import type { ZodType } from 'zod';
import { AppError, type TenantId } from '#kernel';
import { type Used, withinBudget } from './budget.ts';
import { openModel } from './client.ts';
import type { ModelsDeps, Question } from './context.ts';

/** Characters that a token has at least, so that a reservation is never too small. */
const CHARS_A_TOKEN = 2;

const noAnswer = (message: string, cause?: unknown): AppError => new AppError('unavailable', message, { cause });

const SAID: Readonly<Record<string, string>> = {
  AI_NoObjectGeneratedError: 'The model answered something else than it was asked for.',
  AI_APICallError: 'The model’s server refused the question.',
  AI_JSONParseError: 'The model answered something that is not JSON.',
  AI_NoOutputGeneratedError: 'The model gave no answer.',
};

/** What came of a call that failed, in words without anything of the question or the answer. */
function describe(error: unknown, signal: AbortSignal): AppError {
  if (signal.aborted) return noAnswer('The question was cancelled, or the consent was withdrawn.', error);
  const name = error instanceof Error ? error.name : '';
  const fault = (error as { fault?: unknown } | null)?.fault ?? (error as { cause?: { fault?: unknown } } | null)?.cause?.fault;
  if (typeof fault === 'string') return noAnswer(`The model did not answer (${fault.replaceAll('_', ' ')}).`, error);
  return noAnswer(SAID[name] ?? 'The model did not answer.', error);
}

interface Asking<Value> {
  question: Question;
  schema: ZodType<Value>;
  /** Of whoever asks. */
  signal?: AbortSignal | undefined;
}

/** One call, once: nothing is repeated, and no tool is offered. */
async function callModel<Value>(
  { config, outbound, log }: ModelsDeps,
  { question, schema, signal, localOnly }: Omit<Asking<Value>, 'signal'> & { signal: AbortSignal; localOnly: boolean },
): Promise<{ value: Value; tokens: number }> {
  const { generateText, Output } = await import('ai');
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  try {
    const { output, usage } = await generateText({
      model: await openModel(config, outbound, localOnly),
      ...{
        system: question.system,
        prompt: question.prompt,
        maxOutputTokens: question.maxOutputTokens,
        maxRetries: 0,
        abortSignal: signal,
      },
      output: Output.object({ schema }),
    });
    return { value: output, tokens: usage.totalTokens ?? 0 };
  } catch (error) {
    const told = describe(error, signal);
    log.info({ reason: told.message }, 'a model was asked and did not answer as it should');
    throw told;
  }
}

const anyOf = (...signals: (AbortSignal | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter((one) => one !== undefined));

/**
 * Asks the model within the tenant's share of the day. AppError `egress_denied` without consent unless the model runs on this machine,
 * `rate_limited` beyond the share, `unavailable` for whatever is no answer.
 */
export async function askModel<Value>(
  deps: ModelsDeps,
  tenant: TenantId,
  { question, schema, signal }: Asking<Value>,
): Promise<Value> {
  const { config, outbound } = deps;
  if (config.provider === undefined) throw noAnswer('No model is configured (SVC_AI_MODEL_PROVIDER).');
  const localOnly = await outbound.isLocal(config.url ?? '');
  return await deps.whileConsented(tenant, async (withdrawn) => {
    // Read behind the subscription, so that no withdrawal falls between the two.
    if (!localOnly && !(await deps.mayLeave(tenant)))
      throw new AppError('egress_denied', 'This tenant has not consented to sending telemetry to a model that runs elsewhere.');
    const asked = Math.ceil((question.system.length + question.prompt.length) / CHARS_A_TOKEN);
    const atMost: Used = { tokens: asked + question.maxOutputTokens, busyMs: config.timeoutSeconds * 1000 };
    const bounds = { tokensPerDay: config.tokensPerDay, secondsPerDay: config.secondsPerDay };
    const ended = anyOf(signal, localOnly ? undefined : withdrawn, AbortSignal.timeout(atMost.busyMs));
    const run = () => callModel(deps, { question, schema, signal: ended, localOnly });
    return await withinBudget({ ...deps, bounds }, { tenant, atMost, ifFailed: asked }, run);
  });
}
