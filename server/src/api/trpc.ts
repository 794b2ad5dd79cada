import type { AnyTRPCRouter } from '@trpc/server';
import { fastifyRequestHandler } from '@trpc/server/adapters/fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '#kernel';
import { shareAnswer } from './page-weight.ts';
import { answerTrpcError } from './trpc-errors.ts';

/** Calls of one request; the console sends one. Their answers are written as one JSON, which nobody is served beside. */
const MAX_BATCH = 10;
/** Names of procedures, decoded once: tRPC decodes again, so nothing that still is encoded gets there. */
const PATH = /^[\w.]+(,[\w.]+)*$/;

const pathOf = ({ params }: FastifyRequest): string => String((params as { path?: string }).path ?? '');

/** Procedures that a request calls; each counts. */
export const countCalls = (request: FastifyRequest): number => pathOf(request).split(',').length;

async function demandBatch(request: FastifyRequest): Promise<void> {
  if (!PATH.test(pathOf(request))) throw new AppError('not_found', 'There is no such procedure.');
  if (countCalls(request) > MAX_BATCH) throw new AppError('too_large', `A batch has at most ${MAX_BATCH} calls.`);
}

/** tRPC at /trpc: JSON only, since other bodies would not be bounded. */
export function mountTrpc(scope: FastifyInstance, router: AnyTRPCRouter): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  scope.setErrorHandler(answerTrpcError);
  scope.route({
    method: ['GET', 'POST'],
    url: '/trpc/:path',
    config: { rate: 'principal' },
    onRequest: demandBatch,
    handler: async (request, reply) => {
      const answer = () =>
        fastifyRequestHandler({
          ...{ router, req: request, res: reply, path: pathOf(request), maxBatchSize: MAX_BATCH },
          createContext: () => ({ requestId: request.id, ctx: request.principalCtx }),
          onError: ({ error, path }) => {
            if (error.code === 'INTERNAL_SERVER_ERROR')
              request.log.error({ err: error.cause ?? error, path }, 'procedure failed');
          },
        });
      return await shareAnswer(countCalls(request), answer);
    },
  });
}
