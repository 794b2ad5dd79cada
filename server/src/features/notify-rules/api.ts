import { ChangeRule, CreateRule, OfRule, Rule, RuleBody, RuleList, RulePreview } from '@svc/contracts/notify/rule';
import { z } from 'zod';
import { permitted, router } from '#api';
import type { RulesDeps } from './context.ts';
import { changeRule, createRule, listRules, previewRule, removeRule } from './rules.ts';

const tags = ['notifications'];

/** `notifyRules.*` over tRPC, /v1/notify/rules over REST. */
export const createRulesProcedures = (deps: RulesDeps) =>
  router({
    list: permitted('incident.read', {
      rest: { method: 'GET', path: '/notify/rules', tags, summary: 'Rules: which incidents go where' },
    })
      .output(RuleList)
      .query(async ({ ctx }) => ({ items: await listRules(deps, ctx) })),

    create: permitted('settings.write', {
      rest: { method: 'POST', path: '/notify/rules', status: 201, tags, summary: 'Make a rule', errors: ['conflict'] },
    })
      .input(CreateRule)
      .output(Rule)
      .mutation(async ({ ctx, input }) => await createRule(deps, ctx, input)),

    change: permitted('settings.write', {
      rest: { method: 'PUT', path: '/notify/rules/:id', tags, summary: 'Change a rule', errors: ['not_found'] },
    })
      .input(ChangeRule)
      .output(Rule)
      .mutation(async ({ ctx, input }) => await changeRule(deps, ctx, input)),

    remove: permitted('settings.write', {
      rest: { method: 'DELETE', path: '/notify/rules/:id', status: 204, tags, summary: 'Delete a rule', errors: ['not_found'] },
    })
      .input(OfRule)
      .output(z.void())
      .mutation(async ({ ctx, input }) => await removeRule(deps, ctx, input.id)),

    /** Which of the last 100 incidents it would have sent. */
    preview: permitted('settings.write')
      .input(RuleBody)
      .output(RulePreview)
      .query(async ({ ctx, input }) => await previewRule(deps, ctx, input)),
  });
