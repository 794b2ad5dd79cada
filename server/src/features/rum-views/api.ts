import { RUM_STATES, RUM_VERDICTS } from '@svc/contracts/rum/kinds';
import { OfHosts, OfHostsQuery, RumHost, RumHostQuery, RumOverview, RumQuery } from '@svc/contracts/rum/views';
import { z } from 'zod';
import { listLimitQuery, oneOrMore, permitted } from '#api';
import type { RumViewsContext } from './context.ts';
import { readHostPage } from './pages/host-page.ts';
import { readOfHosts, readOverview } from './pages/overview.ts';

const tags = ['real users'];
const asBoolean = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]);
const OverviewInput = RumQuery.extend({ verdict: oneOrMore(z.enum(RUM_VERDICTS), 4), state: oneOrMore(z.enum(RUM_STATES), 4) });
const number = z.coerce.number().int();

const listed = <T>(value: T | T[] | undefined): T[] | undefined => (value === undefined ? undefined : ([value].flat() as T[]));

/** `rum.overview`, `rum.host`, `rum.ofHosts`; /v1/rum over REST. Called beside those of apps. */
export const createRumPages = (context: RumViewsContext) => ({
  overview: permitted('rum.read', {
    rest: {
      ...{ method: 'GET', path: '/rum', tags, summary: 'Verdicts of real users, what was refused, and what is not seen' },
      query: OverviewInput.extend({ limit: listLimitQuery, descending: asBoolean.default(false) }),
    },
  })
    .input(OverviewInput)
    .output(RumOverview)
    .query(
      async ({ ctx, input }) =>
        await readOverview(context, ctx, { ...input, verdict: listed(input.verdict), state: listed(input.state) }),
    ),

  host: permitted('rum.read', {
    rest: {
      ...{
        method: 'GET',
        path: '/rum/:app/:host',
        tags,
        summary: 'One host of an app: verdict, vitals, series, pages, browsers',
      },
      query: RumHostQuery.omit({ app: true, host: true }).extend({
        points: number.min(10).max(500).default(120),
        pages: number.min(1).max(501).default(50),
      }),
      errors: ['not_found'],
    },
  })
    .input(RumHostQuery)
    .output(RumHost)
    .query(async ({ ctx, input }) => await readHostPage(context, ctx, input)),

  /** Of hosts that other pages are about. */
  ofHosts: permitted('rum.read')
    .input(OfHostsQuery)
    .output(OfHosts)
    .query(async ({ ctx, input }) => await readOfHosts(context, ctx, input.hosts)),
});
