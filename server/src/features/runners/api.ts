import {
  CreatedRunnerToken,
  CreateRunnerToken,
  OfRunner,
  RunnerChanged,
  RunnerList,
  RunnerTokenList,
  UpdateRunner,
} from '@svc/contracts/tests/runner-api';
import { z } from 'zod';
import { permitted, router } from '#api';
import type { Ctx } from '#kernel';

export interface RunnersVerbs {
  list(ctx: Ctx): Promise<RunnerList>;
  createToken(ctx: Ctx, input: CreateRunnerToken): Promise<CreatedRunnerToken>;
  listTokens(ctx: Ctx): Promise<z.infer<typeof RunnerTokenList>>;
  revokeToken(ctx: Ctx, input: { id: string }): Promise<{ changed: number }>;
  update(ctx: Ctx, input: UpdateRunner): Promise<{ changed: number }>;
  remove(ctx: Ctx, input: { id: string }): Promise<{ changed: number }>;
}

const tags = ['runners'];
const nothing = z.object({});

/** `runners.*` over tRPC, /v1/runners over REST. */
export const createRunnersProcedures = (verbs: RunnersVerbs) =>
  router({
    list: permitted('agent.read', {
      rest: { method: 'GET', path: '/runners', tags, summary: 'Runners of synthetic tests, the built-in one first' },
    })
      .input(nothing)
      .output(RunnerList)
      .query(({ ctx }) => verbs.list(ctx)),
    createToken: permitted('agent.write', {
      rest: { method: 'POST', path: '/runner-tokens', status: 201, tags, summary: 'Create a token for runners; shown once' },
    })
      .input(CreateRunnerToken)
      .output(CreatedRunnerToken)
      .mutation(({ ctx, input }) => verbs.createToken(ctx, input)),
    listTokens: permitted('agent.write', {
      rest: { method: 'GET', path: '/runner-tokens', tags, summary: 'Tokens for runners, newest first' },
    })
      .input(nothing)
      .output(RunnerTokenList)
      .query(({ ctx }) => verbs.listTokens(ctx)),
    revokeToken: permitted('agent.write', {
      rest: { method: 'DELETE', path: '/runner-tokens/:id', tags, summary: 'Revoke a token for runners', errors: ['not_found'] },
    })
      .input(OfRunner)
      .output(RunnerChanged)
      .mutation(({ ctx, input }) => verbs.revokeToken(ctx, input)),
    update: permitted('agent.write', {
      rest: { method: 'PATCH', path: '/runners/:id', tags, summary: 'Rename, label or place a runner', errors: ['not_found'] },
    })
      .input(UpdateRunner)
      .output(RunnerChanged)
      .mutation(({ ctx, input }) => verbs.update(ctx, input)),
    /** Not trusted any more, at once and for good. */
    remove: permitted('agent.write', {
      rest: { method: 'DELETE', path: '/runners/:id', tags, summary: 'Remove a runner for good', errors: ['not_found'] },
    })
      .input(OfRunner)
      .output(RunnerChanged)
      .mutation(({ ctx, input }) => verbs.remove(ctx, input)),
  });
