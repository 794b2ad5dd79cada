import { AskModel, ModelAnswer, ModelPreview } from '@svc/contracts/causes/model-answer';
import { RootCause } from '@svc/contracts/causes/root-cause';
import { OfIncident } from '@svc/contracts/incidents/acts';
import { permitted, router } from '#api';
import { AppError, type Ctx } from '#kernel';
import { askModel, previewQuestion } from './ask-model.ts';
import type { AskingDeps } from './context.ts';
import type { Maker } from './make.ts';

const tags = ['incidents'];
const errors = ['not_found'] as const;

/** The evidence of an incident is of every plane. */
function demandEvents({ principal }: Ctx): void {
  if (!principal.permissions.has('events.read')) throw new AppError('forbidden', 'This needs the permission events.read.');
}

/** `causes.*` over tRPC, /v1/incidents/{id}/rca over REST. */
export const createCausesProcedures = (deps: AskingDeps, maker: Pick<Maker, 'read'>) =>
  router({
    get: permitted('ai.query', {
      rest: {
        method: 'GET',
        path: '/incidents/:id/rca',
        tags,
        summary: 'The root cause of an incident, with its evidence',
        errors,
      },
    })
      .input(OfIncident)
      .output(RootCause)
      .query(async ({ ctx, input }) => {
        demandEvents(ctx);
        return await maker.read(ctx.principal.tenant, input.id);
      }),

    preview: permitted('ai.query', {
      rest: {
        method: 'GET',
        path: '/incidents/:id/rca/question',
        tags,
        summary: 'What a model would be sent about an incident',
        errors,
      },
    })
      .input(OfIncident)
      .output(ModelPreview)
      .query(async ({ ctx, input }) => {
        demandEvents(ctx);
        return await previewQuestion({ ...deps, maker }, ctx, input.id);
      }),

    ask: permitted('ai.query', {
      rest: {
        method: 'POST',
        path: '/incidents/:id/rca',
        tags,
        summary: 'Ask the configured model about an incident',
        errors: ['not_found', 'egress_denied', 'unavailable'],
      },
    })
      .input(AskModel)
      .output(ModelAnswer)
      .mutation(async ({ ctx, input }) => {
        demandEvents(ctx);
        return await askModel(deps, ctx, input);
      }),
  });
