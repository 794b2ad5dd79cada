import { afterEach, expect, it, vi } from 'vitest';
import { ApiError, ask } from './api.ts';

const answerWith = (answer: (init: RequestInit) => Promise<Response>): void =>
  void vi.stubGlobal('fetch', (_url: string, init: RequestInit) => answer(init));
const failure = (signal?: AbortSignal): Promise<unknown> =>
  ask('identity.me', {}, signal).then(
    () => undefined,
    (error: unknown) => error,
  );
/** Answers nothing until it is called off. */
const hang = ({ signal }: RequestInit): Promise<Response> =>
  new Promise((_resolve, reject) => {
    const end = (): void => reject(signal?.reason);
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end);
  });

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it.each([502, 503, 504])('takes status %i of something else than this service for silence', async (status) => {
  answerWith(async () => new Response('<h1>Bad gateway</h1>', { status, headers: { 'content-type': 'text/html' } }));
  const error = await failure();
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ code: 'network', message: 'The server did not answer.' });
});

it.each([
  ['', undefined],
  ['<h1>Error</h1>', 'text/html'],
])('says the status of what something else answered: %j', async (body, type) => {
  answerWith(async () => new Response(body || null, { status: 500, ...(type ? { headers: { 'content-type': type } } : {}) }));
  expect(await failure()).toMatchObject({ code: 'internal', message: 'What answered was not this service: status 500.' });
});

it('takes a page of a proxy that is answered with 200 for no answer of this service', async () => {
  answerWith(async () => new Response('<h1>Sign in to the network</h1>', { headers: { 'content-type': 'text/html' } }));
  expect(await failure()).toMatchObject({ message: 'What answered was not this service: status 200.' });
});

it('takes the words of the service itself as they are', async () => {
  const data = { httpStatus: 503, appCode: 'unavailable', requestId: 'r1' };
  const body = { error: { code: -32_603, message: 'The store is away.', data } };
  answerWith(async () => Response.json(body, { status: 503 }));
  expect(await failure()).toMatchObject({ code: 'unavailable', message: 'The store is away.', requestId: 'r1' });
});

it('does not wait for ever, and tells that from a question that is no longer asked', async () => {
  answerWith(hang);
  const limit = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
  const late = failure();
  limit.abort(new DOMException('The limit passed.', 'TimeoutError'));
  expect(await late).toMatchObject({ code: 'network', message: 'The server did not answer in time.' });

  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
  const left = new AbortController();
  const gone = failure(left.signal);
  left.abort();
  expect(await gone).not.toBeInstanceOf(ApiError);
});
