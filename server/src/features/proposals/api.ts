import { AuthorInput, DiscoveredList, OfHost, Proposal } from '@svc/contracts/proposals/proposal';
import { z } from 'zod';
import { permitted, router } from '#api';
import { AppError, type Ctx } from '#kernel';
import { authorByModel } from './ask-model.ts';
import { authorByRules, noteAuthoring } from './author.ts';
import type { ProposalsDeps } from './context.ts';
import { discover } from './discover.ts';
import { dismissHost, restoreHost } from './dismissals.ts';

const tags = ['tests'];

/** The model is meant where one is configured, unless somebody asks for the other. */
async function author(deps: ProposalsDeps, ctx: Ctx, input: AuthorInput): Promise<Proposal> {
  const isModel =
    input.author === 'model' || (input.author === undefined && (await deps.model.describe(ctx.principal.tenant)) !== undefined);
  const by = isModel ? 'model' : 'heuristic';
  try {
    const proposal = await (isModel ? authorByModel : authorByRules)(deps, ctx, input);
    await noteAuthoring(deps, ctx, {
      author: by,
      outcome: 'proposed',
      tests: [proposal, ...proposal.more].map(({ test }) => test),
    });
    return proposal;
  } catch (error) {
    await noteAuthoring(deps, ctx, { author: by, outcome: error instanceof AppError ? error.code : 'internal', tests: [] });
    throw error;
  }
}

/** `ai.*` over tRPC, /v1/ai/* over REST. Nothing here makes a test. */
export const createProposalsProcedures = (deps: ProposalsDeps) =>
  router({
    author: permitted('test.write', {
      rest: {
        ...{ method: 'POST', path: '/ai/author', tags, summary: 'Propose a test for a request in plain words' },
        errors: ['cannot_author', 'egress_denied', 'unavailable'],
      },
    })
      .input(AuthorInput)
      .output(Proposal)
      .mutation(({ ctx, input }) => author(deps, ctx, input)),

    // It changes nothing: a list of what could be tested.
    discover: permitted('test.write', {
      unaudited: true,
      rest: { method: 'POST', path: '/ai/discover', tags, summary: 'What the tenant’s own data show and no test asks' },
    })
      .input(z.object({}))
      .output(DiscoveredList)
      .mutation(({ ctx }) => discover(deps, ctx)),

    dismiss: permitted('test.write')
      .input(OfHost)
      .output(OfHost)
      .mutation(({ ctx, input }) => dismissHost(deps, ctx, input)),

    restore: permitted('test.write')
      .input(OfHost)
      .output(OfHost)
      .mutation(({ ctx, input }) => restoreHost(deps, ctx, input)),
  });
