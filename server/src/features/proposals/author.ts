import type { AuthorInput, CannotAuthor, OneProposal, Proposal, ProposalAuthor } from '@svc/contracts/proposals/proposal';
import type { TestSpec } from '@svc/contracts/tests/test';
import { AppError, actorOf, type Ctx } from '#kernel';
import type { AuthoredTests, DraftTest, Outcome, ProposalsDeps } from './context.ts';
import { askedHosts } from './domain/asked-hosts.ts';
import { completeProposal } from './domain/complete.ts';
import { toldTarget } from './domain/told-target.ts';
import { readKnown } from './known-of.ts';

/** 422 with what a person, a page or a program can go on with. */
export function cannotAuthor(missing: readonly string[], more: Partial<CannotAuthor> = {}): AppError {
  const told: CannotAuthor = { missing: [...missing], examples: [], choices: [], question: null, ...more };
  return new AppError('cannot_author', told.question ?? (missing.join(' ') || 'No test can be made of this.'), { more: told });
}

/** Whoever wrote it: no test is surfaced that this tenant could not make, or that would ask what may not be asked. */
function findFaults(deps: ProposalsDeps, spec: TestSpec): string[] {
  const refusals = askedHosts(spec).flatMap((host) => deps.refuseHost(host) ?? []);
  if (refusals.length > 0) return refusals;
  try {
    deps.demandPatterns(spec);
    return [];
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation') return [error.message];
    throw error;
  }
}

/** Proposals of one answer; AppError `cannot_author` where one of them may not be. */
export function checkDrafts(deps: ProposalsDeps, drafts: readonly DraftTest[], author: ProposalAuthor): OneProposal[] {
  return drafts.map((draft) => {
    const completed = completeProposal(draft, author);
    if ('faults' in completed) throw cannotAuthor(completed.faults);
    const faults = findFaults(deps, completed.spec);
    if (faults.length > 0) throw cannotAuthor(faults);
    return completed.proposal;
  });
}

const gather = ([first, ...more]: OneProposal[]): Proposal => {
  if (!first) throw cannotAuthor([]);
  return { ...first, more };
};

/** Types and targets of each call, never the words: those may hold anything. */
export async function noteAuthoring(
  { relational, appendAudit }: ProposalsDeps,
  ctx: Ctx,
  of: Outcome & { outcome: string },
): Promise<void> {
  const { author, tests, outcome } = of;
  const detail = {
    ...{ author, outcome, proposed: tests.length },
    ...(tests.length === 0
      ? {}
      : {
          type: tests
            .map(({ type }) => type)
            .join(', ')
            .slice(0, 512),
          target: tests
            .map(({ target }) => toldTarget(target))
            .join(', ')
            .slice(0, 2048),
        }),
  };
  await relational.withTenantSql(ctx.principal.tenant, (sql) =>
    appendAudit(sql, {
      actor: actorOf(ctx.principal),
      action: 'ai.author',
      object: { type: 'test_proposal', id: ctx.requestId },
      detail,
    }),
  );
}

function readAnswer(deps: ProposalsDeps, answer: AuthoredTests): Proposal {
  if ('missing' in answer) throw cannotAuthor(answer.missing, { examples: [...answer.examples] });
  if ('drafts' in answer) return gather(checkDrafts(deps, answer.drafts, 'heuristic'));
  const choices = answer.choices.map((drafts) => gather(checkDrafts(deps, drafts, 'heuristic')));
  throw cannotAuthor([], { choices, question: answer.question });
}

/** The words to tests without a model; nothing is made, and nothing is asked of anybody. */
export async function authorByRules(deps: ProposalsDeps, ctx: Ctx, { prompt }: AuthorInput): Promise<Proposal> {
  const known = await readKnown(deps, ctx, prompt);
  return readAnswer(deps, deps.authorTests(prompt, known));
}
