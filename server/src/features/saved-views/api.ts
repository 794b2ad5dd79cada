import { CreateSavedView, SavedView, SavedViewList, UpdateSavedView, VIEW_PAGES } from '@svc/contracts/saved-views/saved-view';
import { z } from 'zod';
import { router, signedIn } from '#api';
import type { SavedViewsDeps } from './context.ts';
import { createView, listFor, removeView, setDefault, updateView } from './views.ts';

const tags = ['saved views'];
const OfPage = z.object({ page: z.enum(VIEW_PAGES) });
const OfView = z.object({ id: z.uuid() });

/** `savedViews.*` over tRPC, /v1/saved-views over REST. Each demands the permission of the page that its view is of, so none can name one. */
export function createSavedViewsProcedures(deps: SavedViewsDeps) {
  const list = signedIn
    .meta({
      rest: {
        method: 'GET',
        path: '/saved-views',
        tags,
        summary: 'Your own and the shared views of a page',
        errors: ['forbidden'],
      },
    })
    .input(OfPage)
    .output(SavedViewList)
    .query(async ({ ctx, input }) => await listFor(deps, ctx, input.page));

  const create = signedIn
    .meta({
      rest: {
        ...{ method: 'POST', path: '/saved-views', status: 201, tags, summary: 'Save a view' },
        errors: ['forbidden', 'conflict'],
      },
    })
    .input(CreateSavedView)
    .output(SavedView)
    .mutation(async ({ ctx, input }) => await createView(deps, ctx, input));

  const update = signedIn
    .meta({
      rest: {
        ...{ method: 'PATCH', path: '/saved-views/:id', tags, summary: 'Rename, change, share or unshare one of your views' },
        errors: ['forbidden', 'not_found', 'conflict'],
      },
    })
    .input(UpdateSavedView)
    .output(SavedView)
    .mutation(async ({ ctx, input }) => await updateView(deps, ctx, input));

  const remove = signedIn
    .meta({
      rest: {
        ...{ method: 'DELETE', path: '/saved-views/:id', status: 204, tags, summary: 'Delete a view' },
        errors: ['forbidden', 'not_found'],
      },
    })
    .input(OfView)
    .output(z.void())
    .mutation(async ({ ctx, input }) => await removeView(deps, ctx, input.id));

  const choose = signedIn
    .meta({
      // A preference of one person, which nobody else sees.
      unaudited: true,
      rest: {
        ...{ method: 'PUT', path: '/saved-views/default', status: 204, tags },
        ...{ summary: 'Choose the view that a page opens with; null for none', errors: ['forbidden', 'not_found'] },
      },
    })
    .input(OfPage.extend({ id: z.uuid().nullable() }))
    .output(z.void())
    .mutation(async ({ ctx, input }) => await setDefault(deps, ctx, input));

  return router({ list, create, update, setDefault: choose, remove });
}
