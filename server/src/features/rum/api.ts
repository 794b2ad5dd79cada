import { CreateApp, OfApp, RotateKey, RumApp, RumApps, UpdateApp } from '@svc/contracts/rum/apps';
import { z } from 'zod';
import { listLimit, listLimitQuery, permitted, router } from '#api';
import type { Ctx } from '#kernel';
import { listApps } from './app-store.ts';
import { changeApp, createApp, removeApp, rotateKey } from './apps.ts';
import type { RumContext } from './context.ts';
import { currentScript, endpointOf, presentApps } from './present.ts';
import { surfaceOf, surfaceSentence } from './surface.ts';

const tags = ['real users'];
const ListInput = z.object({ limit: listLimit, cursor: z.string().max(63).optional() });

async function readApps(context: RumContext, ctx: Ctx, input: z.output<typeof ListInput>): Promise<RumApps> {
  const { tenant } = ctx.principal;
  const page = { after: input.cursor ?? '', limit: input.limit + 1 };
  const found = await context.relational.withTenantSql(tenant, (sql) => listApps(sql, page));
  const shown = found.slice(0, input.limit);
  const surface = surfaceOf(context);
  return {
    items: await presentApps(context, tenant, shown),
    next_cursor: found.length > input.limit ? (shown.at(-1)?.name ?? null) : null,
    ...{ surface, surface_sentence: surfaceSentence(surface), endpoint: endpointOf(context), script: currentScript(context) },
  };
}

const reading = (context: RumContext) => ({
  list: permitted('rum.read', {
    rest: {
      ...{ method: 'GET', path: '/rum/apps', tags, summary: 'Apps that send beacons, with their keys' },
      query: ListInput.extend({ limit: listLimitQuery }),
    },
  })
    .input(ListInput)
    .output(RumApps)
    .query(async ({ ctx, input }) => await readApps(context, ctx, input)),
});

const changing = (context: RumContext) => ({
  create: permitted('settings.write', {
    rest: {
      ...{ method: 'POST', path: '/rum/apps', status: 201, tags, summary: 'Register an app that sends beacons' },
      errors: ['conflict'],
    },
  })
    .input(CreateApp)
    .output(RumApp)
    .mutation(async ({ ctx, input }) => await createApp(context, ctx, input)),

  update: permitted('settings.write', {
    rest: {
      ...{ method: 'PATCH', path: '/rum/apps/:id', tags, summary: 'Change the hosts or the rate of an app' },
      errors: ['not_found'],
    },
  })
    .input(UpdateApp)
    .output(RumApp)
    .mutation(async ({ ctx, input }) => await changeApp(context, ctx, input)),

  rotate: permitted('settings.write', {
    rest: {
      ...{ method: 'POST', path: '/rum/apps/:id/rotate', tags, summary: 'Give an app a new key; the former overlaps' },
      errors: ['not_found', 'conflict'],
    },
  })
    .input(RotateKey)
    .output(RumApp)
    .mutation(async ({ ctx, input }) => await rotateKey(context, ctx, input)),

  remove: permitted('settings.write', {
    rest: {
      ...{ method: 'DELETE', path: '/rum/apps/:id', status: 204, tags, summary: 'Remove an app; its key is refused at once' },
      errors: ['not_found', 'conflict'],
    },
  })
    .input(OfApp)
    .output(z.void())
    .mutation(async ({ ctx, input }) => await removeApp(context, ctx, input.id)),
});

/** `rum.apps.*` over tRPC, /v1/rum/apps over REST. */
export const createAppProcedures = (context: RumContext) => router({ ...reading(context), ...changing(context) });
