import formbody from '@fastify/formbody';
import type { ErrorCode } from '@svc/contracts/error-codes';
import { HTTP_STATUS } from '@svc/contracts/error-codes';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AppError } from '#kernel';
import { html } from './pages/html.ts';
import { INVITE_GONE, LINK_GONE, noticePage } from './pages/pages.ts';
import { AUTH_STYLE, MARK_ICON } from './pages/style.ts';

const FORM_LIMIT_BYTES = 16 * 1024;
const MAX_FIELDS = 20;
const MAX_FIELD_LENGTH = 4096;

/** No script at all, styles and the font from here only, forms to here only. */
const POLICY =
  "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/** Leads past the sign-in where another tab of the browser has signed in meanwhile. */
export const LOGIN_UNLESS_SIGNED_IN = '/auth/login?return_to=%2F';

const TITLE: Partial<Record<ErrorCode, string>> = {
  rate_limited: 'Too many attempts.',
  forbidden: 'You have no access here.',
  unauthorized: 'The sign-in was not confirmed.',
  unavailable: 'Signing in is not possible right now.',
  not_found: 'There is nothing at this address.',
};

/** Everything below /auth: small forms only, pages with a strict policy that nobody stores, and errors as pages for people. */
export async function prepareScope(scope: FastifyInstance): Promise<void> {
  await scope.register(formbody, { bodyLimit: FORM_LIMIT_BYTES });
  scope.addHook('onRequest', async (_request, reply) => {
    reply.header('content-security-policy', POLICY);
    reply.header('cache-control', 'no-store');
  });
  scope.setErrorHandler((thrown: FastifyError | AppError, request, reply) => sendFailure(request, reply, thrown));
  scope.setNotFoundHandler((request, reply) =>
    sendFailure(request, reply, new AppError('not_found', 'The address may be mistyped.')),
  );
  serveAsset(scope, { path: '/assets/auth.css', type: 'text/css; charset=utf-8', text: AUTH_STYLE });
  serveAsset(scope, { path: '/assets/mark.svg', type: 'image/svg+xml', text: MARK_ICON });
}

function serveAsset(scope: FastifyInstance, { path, type, text }: { path: string; type: string; text: string }): void {
  scope.get(path, { config: { rate: 'pages' } }, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=3600').type(type).send(text),
  );
}

export const sendPage = (reply: FastifyReply, markup: string, status = 200): FastifyReply =>
  reply.code(status).type('text/html; charset=utf-8').send(markup);

export const sendLinkGone = (reply: FastifyReply): FastifyReply =>
  sendPage(reply, noticePage(reply.request.url.startsWith('/auth/invite') ? INVITE_GONE : LINK_GONE), 410);

function sendFailure(request: FastifyRequest, reply: FastifyReply, thrown: FastifyError | AppError): FastifyReply {
  const error = toAppError(thrown);
  if (error.code === 'internal') request.log.error({ err: error.cause ?? error }, 'a sign-in page failed');
  else if (error.code === 'unavailable' || error.code === 'unauthorized')
    request.log.warn({ err: error.cause ?? error }, 'sign-in failed');
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
  // In this scope a conflict is a link that somebody else used in the meantime.
  if (error.code === 'conflict') return sendLinkGone(reply);
  const page = noticePage({
    title: TITLE[error.code] ?? 'This did not work.',
    text: html`${error.message} <br>Request <code>${request.id}</code>`,
    action: { href: error.code === 'bad_request' ? LOGIN_UNLESS_SIGNED_IN : '/auth/login', label: 'Sign in again' },
  });
  return sendPage(reply, page, HTTP_STATUS[error.code]);
}

function toAppError(thrown: FastifyError | AppError): AppError {
  if (thrown instanceof AppError) return thrown;
  const status = thrown.statusCode ?? 500;
  if (status === 413) return new AppError('too_large', 'The form is too large.', { cause: thrown });
  if (status < 500) return new AppError('bad_request', 'The request cannot be understood.', { cause: thrown });
  return new AppError('internal', 'Something went wrong on the server. Its log has the cause.', { cause: thrown });
}

/** The fields of a form as text; what is absent is ''. AppError `bad_request` for anything else. */
export function readFields<Name extends string>(body: unknown, names: readonly Name[]): Record<Name, string> {
  const shape = z.record(z.string(), z.unknown()).catch({}).parse(body);
  if (Object.keys(shape).length > MAX_FIELDS) throw new AppError('bad_request', 'The form has too many fields.');
  const field = (name: Name): [Name, string] => {
    const value = shape[name] ?? '';
    if (typeof value !== 'string' || value.length > MAX_FIELD_LENGTH)
      throw new AppError('bad_request', 'The form could not be read.');
    return [name, value];
  };
  return Object.fromEntries(names.map(field)) as Record<Name, string>;
}
