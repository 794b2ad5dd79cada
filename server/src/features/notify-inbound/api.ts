import {
  CreateInbound,
  InboundDetail,
  InboundList,
  InboundSecret,
  InboundWebhook,
  OfInbound,
  RenameInbound,
  RotateInbound,
} from '@svc/contracts/notify/inbound';
import { z } from 'zod';
import { permitted, router } from '#api';
import { createWebhooks, type WebhooksDeps } from './webhooks/webhooks.ts';

const tags = ['notifications'];
const errors = ['not_found', 'conflict'] as const;
const path = '/notify/inbound/:id';

/** `notifyInbound.*` over tRPC, /v1/notify/inbound over REST. */
export function createInboundProcedures(deps: WebhooksDeps) {
  const webhooks = createWebhooks(deps);
  return router({
    list: permitted('incident.read', {
      rest: { method: 'GET', path: '/notify/inbound', tags, summary: 'Webhooks of paging and ticket systems' },
    })
      .output(InboundList)
      .query(async ({ ctx }) => ({ items: await webhooks.list(ctx) })),

    get: permitted('incident.read', {
      rest: { method: 'GET', path, tags, summary: 'One inbound webhook and its last deliveries', errors: ['not_found'] },
    })
      .input(OfInbound)
      .output(InboundDetail)
      .query(async ({ ctx, input }) => await webhooks.get(ctx, input.id)),

    create: permitted('settings.write', {
      rest: {
        ...{ method: 'POST', path: '/notify/inbound', status: 201, tags, errors: ['conflict'] },
        summary: 'Make an inbound webhook; its secret is shown once',
      },
    })
      .input(CreateInbound)
      .output(InboundSecret)
      .mutation(async ({ ctx, input }) => await webhooks.create(ctx, input)),

    rename: permitted('settings.write', {
      rest: { method: 'PATCH', path, tags, summary: 'Rename an inbound webhook', errors: ['not_found'] },
    })
      .input(RenameInbound)
      .output(InboundWebhook)
      .mutation(async ({ ctx, input }) => await webhooks.rename(ctx, input)),

    rotate: permitted('settings.write', {
      rest: {
        ...{ method: 'POST', path: '/notify/inbound/:id/rotate', tags, errors },
        summary: 'Give an inbound webhook another secret; the one before is taken for the hours of overlap',
      },
    })
      .input(RotateInbound)
      .output(InboundSecret)
      .mutation(async ({ ctx, input }) => await webhooks.rotate(ctx, input)),

    remove: permitted('settings.write', {
      rest: { method: 'DELETE', path, status: 204, tags, summary: 'Delete an inbound webhook', errors },
    })
      .input(OfInbound)
      .output(z.void())
      .mutation(async ({ ctx, input }) => await webhooks.remove(ctx, input.id)),
  });
}
