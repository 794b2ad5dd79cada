import {
  CreateWebhook,
  OfWebhook,
  PreviewTargets,
  RenameWebhook,
  RotateWebhook,
  SetTargets,
  TargetPreview,
  Webhook,
  WebhookDetail,
  WebhookList,
  WebhookSecret,
} from '@svc/contracts/changes/webhook';
import { z } from 'zod';
import { permitted, router } from '#api';
import { previewTargets, setTargets } from './webhooks/targets.ts';
import { createWebhooks, type Webhooks, type WebhooksDeps } from './webhooks/webhooks.ts';

/** With what is done with them, made once. */
interface Deps extends WebhooksDeps {
  webhooks: Webhooks;
}

const tags = ['changes'];
const errors = ['not_found', 'conflict'] as const;
const path = '/change-webhooks/:id';

const reading = (deps: Deps) => ({
  list: permitted('change.read', {
    rest: { method: 'GET', path: '/change-webhooks', tags, summary: 'Webhooks of changes, with what came by them' },
  })
    .output(WebhookList)
    .query(async ({ ctx }) => ({ items: await deps.webhooks.list(ctx) })),

  get: permitted('change.read', {
    rest: { method: 'GET', path, tags, summary: 'One webhook: its last deliveries, its table of targets', errors: ['not_found'] },
  })
    .input(OfWebhook)
    .output(WebhookDetail)
    .query(async ({ ctx, input }) => await deps.webhooks.get(ctx, input.id)),

  /** What another table would make of the changes so far. */
  preview: permitted('settings.write')
    .input(PreviewTargets)
    .output(TargetPreview)
    .query(async ({ ctx, input }) => await previewTargets(deps, ctx, input)),
});

const changing = (deps: Deps) => ({
  create: permitted('settings.write', {
    rest: {
      ...{ method: 'POST', path: '/change-webhooks', status: 201, tags, errors: ['conflict'] },
      summary: 'Make a webhook of changes; its secret is shown once',
    },
  })
    .input(CreateWebhook)
    .output(WebhookSecret)
    .mutation(async ({ ctx, input }) => await deps.webhooks.create(ctx, input)),

  rename: permitted('settings.write', {
    rest: { method: 'PATCH', path, tags, summary: 'Rename a webhook', errors: ['not_found'] },
  })
    .input(RenameWebhook)
    .output(Webhook)
    .mutation(async ({ ctx, input }) => await deps.webhooks.rename(ctx, input)),

  rotate: permitted('settings.write', {
    rest: {
      ...{ method: 'POST', path: '/change-webhooks/:id/rotate', tags, errors },
      summary: 'Give a webhook another secret; the one before is taken for the hours of overlap',
    },
  })
    .input(RotateWebhook)
    .output(WebhookSecret)
    .mutation(async ({ ctx, input }) => await deps.webhooks.rotate(ctx, input)),

  setTargets: permitted('settings.write', {
    rest: {
      ...{ method: 'PUT', path: '/change-webhooks/:id/targets', tags, errors: ['not_found'] },
      summary: 'Where changes happen that name no target: the first row that fits',
    },
  })
    .input(SetTargets)
    .output(WebhookDetail)
    .mutation(async ({ ctx, input }) => await setTargets(deps, ctx, input)),

  remove: permitted('settings.write', {
    rest: { method: 'DELETE', path, status: 204, tags, summary: 'Delete a webhook; what it told of stays', errors },
  })
    .input(OfWebhook)
    .output(z.void())
    .mutation(async ({ ctx, input }) => await deps.webhooks.remove(ctx, input.id)),
});

/** `changes.webhooks.*` over tRPC, /v1/change-webhooks over REST. */
export function createWebhooksProcedures(given: WebhooksDeps) {
  const deps = { ...given, webhooks: createWebhooks(given) };
  return router({ ...reading(deps), ...changing(deps) });
}
