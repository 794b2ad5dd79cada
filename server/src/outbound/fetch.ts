import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ReadableStream } from 'node:stream/web';
import type { Outbound } from './client.ts';
import { OutboundError, type OutboundRequest } from './request.ts';

/** The outbound client in the shape of `fetch`, for libraries that bring their own requests and take one. */
export function createFetch(
  outbound: Pick<Outbound, 'send'>,
  limits: Pick<OutboundRequest, 'purpose' | 'timeoutMs' | 'maxBytes' | 'localOnly'>,
): typeof fetch {
  return async (input, init) => {
    const url = typeof input === 'string' ? input : input instanceof URL ? input.href : input.url;
    const body = init?.body;
    const result = await outbound.send({
      ...limits,
      url,
      method: (init?.method ?? 'GET') as NonNullable<OutboundRequest['method']>,
      headers: Object.fromEntries(new Headers(init?.headers)),
      ...(body === undefined || body === null
        ? {}
        : { body: typeof body === 'string' ? body : await text(Readable.fromWeb(new Response(body).body as ReadableStream)) }),
      ...(init?.signal ? { signal: init.signal } : {}),
    });
    if (!result.ok) throw new OutboundError(result.fault, result.message);
    const isEmpty = result.status === 204 || result.status === 205 || result.status === 304;
    return new Response(isEmpty ? null : new Uint8Array(result.body), { status: result.status, headers: result.headers });
  };
}
