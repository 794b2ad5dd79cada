import type { HttpParams } from '@svc/contracts/tests/params/http';
import { dial } from '../connect/dial.ts';
import { secure } from '../connect/secure.ts';
import { trustFor } from '../connect/trust.ts';
import { judgeInTurn, metered } from '../cpu.ts';
import type { Run } from '../run.ts';
import { cut, RunFailure } from '../run-failure.ts';
import { cutUrl } from '../safety/redact.ts';
import { bytesNeeded, checkAnswer, tellAnswer } from './check-answer.ts';
import { type Cookies, createCookies } from './cookies.ts';
import { type Answer, exchange } from './exchange.ts';
import { bodyFor, type Hop, headersFor, hostOf, readersOf } from './request-fields.ts';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Node's own list has more; these are what a browser fetches. */
const WEB = new Set(['http:', 'https:']);

// Secrets go first: a cut could leave a part of one.
const shownUrl = (run: Run, url: string): string => cut(cutUrl(run.redactor.redact(url)), 2048);

async function send(run: Run, params: HttpParams, hop: Hop): Promise<Answer> {
  const { url } = hop;
  const isSecure = url.protocol === 'https:';
  const host = hostOf(url);
  run.readers = hop.isForeign ? [] : readersOf(params);
  run.acceptsInvalid = params.tls.accept_invalid;
  // All that may fail for want of a secret, before anything is sent; none of it is part of a phase.
  const [headers, body] = metered(run, () => [headersFor(run, params.headers, hop), bodyFor(run, hop)] as const);
  const { client_certificate: client, ...others } = params.tls;
  const context = isSecure ? trustFor(run, hop.isForeign ? others : { ...others, client_certificate: client }, host) : undefined;
  const socket = await dial(run, { host, port: Number(url.port || (isSecure ? 443 : 80)), family: params.family });
  try {
    const name = (hop.isForeign ? undefined : params.tls.server_name) ?? host;
    const over = context
      ? await secure(run, socket, { context, name, acceptInvalid: params.tls.accept_invalid, protocols: ['http/1.1'] })
      : socket;
    const sent = { method: hop.method, path: url.pathname + url.search, headers, body, keep: bytesNeeded(params.assertions) };
    return await exchange(run, over, sent);
  } finally {
    socket.destroy();
  }
}

function nextHop(run: Run, { hop, first, location, status }: { hop: Hop; first: URL; location: string; status: number }): Hop {
  const url = URL.parse(location, hop.url.href);
  const where = shownUrl(run, url?.href ?? location);
  if (!url || !WEB.has(url.protocol)) throw new RunFailure('redirect', `It redirects to what is no web page: ${cut(where, 300)}`);
  url.username = '';
  url.password = '';
  const toGet = status === 303 ? hop.method !== 'HEAD' : (status === 301 || status === 302) && hop.method === 'POST';
  // The same host over TLS is where a sign-in over http is sent as a rule; every other origin is a stranger.
  const isUpgrade = url.hostname === first.hostname && first.protocol === 'http:' && url.protocol === 'https:' && url.port === '';
  return {
    url,
    method: toGet ? 'GET' : hop.method,
    body: toGet ? undefined : hop.body,
    isForeign: url.origin !== first.origin && !isUpgrade,
    isDowngrade: first.protocol === 'https:' && url.protocol === 'http:',
    cookies: undefined,
  };
}

/** One request and what it is redirected to, each hop on a connection of its own and checked anew. */
async function follow(run: Run, target: string, params: HttpParams): Promise<Answer> {
  const first = new URL(target);
  const cookies: Cookies = createCookies();
  let hop: Hop = {
    url: first,
    method: params.method,
    body: params.body,
    isForeign: false,
    isDowngrade: false,
    cookies: undefined,
  };
  const passed: string[] = [];
  for (;;) {
    const answer = await send(run, params, { ...hop, cookies: cookies.forUrl(hop.url) });
    run.figures.status = answer.status;
    run.figures.bytes = answer.body.bytes;
    const { location } = answer.headers;
    if (params.max_redirects === 0 || !REDIRECTS.has(answer.status) || location === undefined) return answer;
    cookies.take(hop.url, answer.headers['set-cookie']);
    await judgeInTurn(run, () => tellAnswer(run, answer));
    if (passed.length >= params.max_redirects) {
      const where = cut(shownUrl(run, location), 200);
      throw new RunFailure('redirect', `After ${passed.length} redirects it redirects on, to ${where}.`);
    }
    hop = nextHop(run, { hop, first, location, status: answer.status });
    passed.push(shownUrl(run, hop.url.href));
    run.figures.redirects = passed.length;
    run.evidence.redirects = passed;
  }
}

export async function runHttp(run: Run, target: string, params: HttpParams): Promise<void> {
  run.figures.redirects = 0;
  const answer = await follow(run, target, params);
  await judgeInTurn(run, () => checkAnswer(run, answer, params.assertions));
}
