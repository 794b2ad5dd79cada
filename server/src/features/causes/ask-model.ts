import type { ModelAnswer, ModelPreview } from '@svc/contracts/causes/model-answer';
import type { RootCause } from '@svc/contracts/causes/root-cause';
import { DATA_CATEGORIES } from '@svc/contracts/governance/classes';
import { z } from 'zod';
import { AppError, actorOf, type Ctx, type TenantId } from '#kernel';
import type { AskingDeps } from './context.ts';
import { checkAnswer, promptOf, SYSTEM } from './domain/model-answer.ts';
import type { Maker } from './make.ts';
import { readVersion } from './store.ts';

const MAX_OUTPUT_TOKENS = 1500;

const AnswerSchema = z.object({
  sentences: z.array(z.object({ text: z.string(), evidence: z.array(z.string()) })),
});

/** The prompt as it may leave: the same version always gives the same. */
async function promptFor(deps: AskingDeps, tenant: TenantId, cause: RootCause) {
  const [masked] = await deps.mask(tenant, [promptOf(cause)]);
  if (!masked) throw new AppError('internal', 'The question was not masked.');
  return masked;
}

/** Exactly what a model would be sent about an incident, and whether it may be asked. Nothing is sent. */
export async function previewQuestion(
  deps: AskingDeps & { maker: Pick<Maker, 'read'> },
  { principal }: Ctx,
  id: string,
): Promise<ModelPreview> {
  const { tenant } = principal;
  const cause = await deps.maker.read(tenant, id);
  const [model, { text, counts }] = await Promise.all([deps.model.describe(tenant), promptFor(deps, tenant, cause)]);
  return {
    ...{ incident_id: id, version: cause.version, configured: model !== undefined },
    ...{ provider: model?.provider ?? null, model: model?.model ?? null, host: model?.host ?? null },
    ...{ is_local: model?.isLocal ?? false, may_ask: model?.mayAsk ?? false, system: SYSTEM, prompt: text },
    masked: DATA_CATEGORIES.flatMap((category) => {
      const count = counts[category];
      return count === undefined ? [] : [{ category, count }];
    }),
  };
}

/**
 * Asks a model about one version of an explanation, and keeps of its answer what cites evidence that is there. The transaction that reads
 * ends before the model is asked; who asked and what came of it is in the trail, nothing of the content.
 */
export async function askModel(
  deps: AskingDeps,
  ctx: Ctx,
  { id, version }: { id: string; version: number },
): Promise<ModelAnswer> {
  const { tenant } = ctx.principal;
  const cause = await deps.relational.withTenantSql(tenant, (sql) => readVersion(sql, id, version));
  if (!cause) throw new AppError('not_found', 'There is no such version of the explanation. Look at what would be sent again.');
  const model = await deps.model.describe(tenant);
  if (!model) throw new AppError('unavailable', 'No model is configured (SVC_AI_MODEL_PROVIDER).');
  const { text: prompt } = await promptFor(deps, tenant, cause);
  const note = async (outcome: string, kept: number, dropped: number): Promise<void> =>
    await deps.relational.withTenantSql(tenant, (sql) =>
      deps.appendAudit(sql, {
        ...{ actor: actorOf(ctx.principal), action: 'ai.query', object: { type: 'incident', id } },
        detail: { version, outcome, kept, dropped },
      }),
    );
  try {
    const question = { system: SYSTEM, prompt, maxOutputTokens: MAX_OUTPUT_TOKENS };
    const given = await deps.model.ask(tenant, { question, schema: AnswerSchema, ...(ctx.ended ? { signal: ctx.ended } : {}) });
    const { sentences, dropped } = checkAnswer(given.sentences, cause.evidence);
    await note(sentences.length > 0 ? 'answered' : 'nothing_kept', sentences.length, dropped);
    return { incident_id: id, version, provider: model.provider, model: model.model, sentences, dropped };
  } catch (error) {
    await note(error instanceof AppError ? error.code : 'internal', 0, 0);
    throw error;
  }
}
