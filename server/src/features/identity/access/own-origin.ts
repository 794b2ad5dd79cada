import type { FastifyRequest } from 'fastify';
import { AppError } from '#kernel';
import { mayChangeState } from '../domain/request-origin.ts';

/** Refuses a state change that a page of ours did not send. */
export function demandOwnOrigin(request: FastifyRequest): void {
  // Behind a trusted proxy this is the host that the browser asked for.
  const { host } = request;
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  const secFetchSite = typeof site === 'string' ? site : undefined;
  if (!mayChangeState({ method: request.method, host, origin, secFetchSite })) {
    throw new AppError('forbidden', 'This request did not come from a page of this server.');
  }
}
