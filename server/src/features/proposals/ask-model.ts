import type { AuthorInput, Proposal } from '@svc/contracts/proposals/proposal';
import { z } from 'zod';
import { AppError, type Ctx } from '#kernel';
import { cannotAuthor, checkDrafts } from './author.ts';
import type { HiddenText, ProposalsDeps } from './context.ts';
import { checkGiven, type GivenTest, questionOf, SYSTEM } from './domain/model-question.ts';
import { readKnown } from './known-of.ts';

const MAX_OUTPUT_TOKENS = 2000;

const AnswerSchema = z.object({ tests: z.array(z.object({ test: z.record(z.string(), z.unknown()), rationale: z.string() })) });

/** Nothing of what is the tenant's stands in it but the person's own words, and these are masked. */
async function ask(
  deps: ProposalsDeps,
  ctx: Ctx,
  { hidden, faults }: { hidden: HiddenText; faults: string[] },
): Promise<GivenTest[]> {
  const { tenant } = ctx.principal;
  const [masked] = await deps.mask(tenant, [hidden.text]);
  if (!masked) throw new AppError('internal', 'The request was not masked.');
  const question = {
    system: SYSTEM,
    prompt: questionOf({ ...hidden, text: masked.text }, faults),
    maxOutputTokens: MAX_OUTPUT_TOKENS,
  };
  const { tests } = await deps.model.ask(tenant, { question, schema: AnswerSchema, ...(ctx.ended ? { signal: ctx.ended } : {}) });
  return tests;
}

const isNoAnswer = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'unavailable' && /something else than|not JSON/.test(error.message);

/** A refused answer is asked for once more, with what was wrong. */
async function askTwice(deps: ProposalsDeps, ctx: Ctx, hidden: HiddenText) {
  let faults: string[] = [];
  for (const isLast of [false, true]) {
    try {
      const checked = checkGiven(await ask(deps, ctx, { hidden, faults }), hidden, hidden.secrets);
      if ('tests' in checked) return checked.tests;
      faults = checked.faults;
    } catch (error) {
      if (isLast || !isNoAnswer(error)) throw error;
      faults = ['It was no JSON object with tests.'];
    }
  }
  throw cannotAuthor(faults.map((fault) => `The model’s answer was refused: ${fault}`));
}

/** The words to tests by the configured model; AppError `egress_denied`, `unavailable`, `rate_limited` or `cannot_author`. */
export async function authorByModel(deps: ProposalsDeps, ctx: Ctx, { prompt }: AuthorInput): Promise<Proposal> {
  const known = await readKnown(deps, ctx, prompt);
  const hidden = deps.hideTargets(prompt, known);
  if (hidden.fault !== undefined) throw cannotAuthor([hidden.fault]);
  if (hidden.targets.length === 0)
    throw cannotAuthor(['No host, address or URL stands in the request, and no name of your tests, apps or services.']);
  const tests = await askTwice(deps, ctx, hidden);
  const drafts = tests.map(({ test, rationale }) => {
    const given = Object.keys(test).filter((key) => key !== 'params');
    const why = 'The model concluded it.';
    const paths = [...given, ...(test.params === undefined ? [] : ['params'])];
    return {
      ...{ test, rationale },
      fields: Object.fromEntries(paths.map((path) => [path, 'inferred' as const])),
      reasons: Object.fromEntries(paths.map((path) => [path, why])),
    };
  });
  const [first, ...more] = checkDrafts(deps, drafts, 'model');
  if (!first) throw cannotAuthor(['The model made no test of it.']);
  return { ...first, more };
}
