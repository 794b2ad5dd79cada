import type { AnyTRPCRouter } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Face, findProcedure, missingPermission, type OpenProcedure } from '#api';
import { toAppError, toProblem } from '#edge';
import { AppError, actorOf, type Ctx, createTenantTurns, type TenantId, type TenantTurns } from '#kernel';
import { answerMessage, type Desk } from './answer-message.ts';
import { callTool } from './call-tool.ts';
import type { McpDeps } from './context.ts';
import { isOwnOrigin } from './domain/own-origin.ts';
import { TOOLS, type Tool } from './tools/index.ts';

const PATH = '/mcp';
/** Of one message: arguments are filters, and ids. */
const MAX_MESSAGE_BYTES = 64 * 1024;
/** Of the client's headers, what the protocol reads. */
const HEADERS_READ = ['mcp-protocol-version', 'mcp-session-id'];

/** Masking takes the event loop's time: one tenant's assistants have one turn beside those of others. */
const TURNS = { total: 2, alone: 2, beside: 1, maxWaiting: 16, refusal: 'Too many questions by MCP of this tenant at once.' };

type Procedures = ReadonlyMap<Tool, OpenProcedure>;

/** What questions are answered by. */
interface Answering {
  procedures: Procedures;
  turns: TenantTurns;
}

/** Each tool with the procedure that answers it. One that could change something is no tool, whatever the catalogue says. */
function openProcedures(router: AnyTRPCRouter): Procedures {
  return new Map(
    TOOLS.map((tool) => {
      const procedure = findProcedure(router, tool.procedure);
      if (procedure?.type !== 'query') throw new Error(`${tool.name}: ${tool.procedure} is no query`);
      return [tool, procedure] as const;
    }),
  );
}

const denied = (tenant: TenantId): AppError =>
  new AppError(
    'egress_denied',
    `This tenant has not consented to sending telemetry to an assistant or a model that runs elsewhere. Whoever operates the server records consent with: svc tenant set ${tenant} --ai-remote-egress on`,
  );

/** Who may ask at all: an API token with `ai.query`, from no page of somebody else's. */
const createDemand =
  ({ publicUrl }: McpDeps) =>
  async ({ headers, principalCtx }: FastifyRequest): Promise<void> => {
    if (!isOwnOrigin(headers.origin, publicUrl))
      throw new AppError('forbidden', 'Pages of other origins may not ask here. Programs send no Origin.');
    if (principalCtx?.principal.kind !== 'api_token')
      throw new AppError('unauthorized', 'MCP takes an API token: Authorization: Bearer svc_pat_...');
    if (!principalCtx.principal.permissions.has('ai.query')) throw missingPermission('ai.query');
  };

/** The reading ends with the access of whoever asks, and with the tenant's consent. */
function endWith(ctx: Ctx, withdrawn: AbortSignal): Ctx {
  const ended = new AbortController();
  const end = () => ended.abort(denied(ctx.principal.tenant));
  if (withdrawn.aborted) end();
  else withdrawn.addEventListener('abort', end, { once: true });
  return { ...ctx, ended: ctx.ended ? AbortSignal.any([ctx.ended, ended.signal]) : ended.signal };
}

function createDesk(deps: McpDeps, { procedures, turns }: Answering, ctx: Ctx): Desk {
  const { principal } = ctx;
  const tools = TOOLS.filter((tool) => {
    const permission = procedures.get(tool)?.permission;
    return permission === undefined || principal.permissions.has(permission);
  });
  const note = async (tool: Tool, outcome: string): Promise<void> =>
    await deps.relational.withTenantSql(principal.tenant, (sql) =>
      deps.appendAudit(sql, { actor: actorOf(principal), action: 'mcp.query', detail: { tool: tool.name, outcome } }),
    );
  const call = async (tool: Tool, procedure: OpenProcedure, input: unknown): Promise<string> => {
    let text: string;
    try {
      text = await turns.use(principal.tenant, () => callTool(deps, { ctx, tool, procedure }, input), ctx.ended);
    } catch (error) {
      await note(tool, toAppError(error).code);
      throw error;
    }
    await note(tool, 'answered');
    return text;
  };
  return {
    tools,
    call: (name, input) => {
      const tool = tools.find((one) => one.name === name);
      const procedure = tool && procedures.get(tool);
      return tool && procedure ? call(tool, procedure, input) : undefined;
    },
    version: deps.version,
    noteFailure: (error) => deps.log.error({ err: error, requestId: ctx.requestId }, 'a question by MCP failed'),
  };
}

function readHeaders({ headers }: FastifyRequest): Headers {
  // Whatever a client says that it accepts, it gets JSON: a stream would have to be kept.
  const read = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' });
  for (const name of HEADERS_READ) if (typeof headers[name] === 'string') read.set(name, headers[name]);
  return read;
}

/** Consent is read behind the subscription, so that no withdrawal falls between the two, and asked for once more before anything leaves. */
async function answer(deps: McpDeps, answering: Answering, request: FastifyRequest): Promise<Response> {
  const ctx = request.principalCtx;
  if (!ctx) throw new AppError('unauthorized', 'Send a valid API token.');
  if (typeof request.body !== 'object' || request.body === null || Array.isArray(request.body))
    throw new AppError('bad_request', 'One JSON-RPC message a request, as a JSON object.');
  const { tenant } = ctx.principal;
  return await deps.whileConsented(tenant, async (withdrawn) => {
    if (!(await deps.mayLeave(tenant))) throw denied(tenant);
    const desk = createDesk(deps, answering, endWith(ctx, withdrawn));
    const response = await answerMessage(desk, request.body, readHeaders(request));
    if (withdrawn.aborted) throw denied(tenant);
    return response;
  });
}

/** A client that looks for a stream of messages, or wants to end a session: there are none. */
const refuseMethod = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
  const problem = toProblem(new AppError('bad_request', 'MCP is spoken here by POST alone, without sessions.'), request.id);
  return await reply
    .code(405)
    .header('allow', 'POST')
    .type('application/problem+json')
    .send(JSON.stringify({ ...problem, status: 405 }));
};

/** MCP over HTTPS (Streamable HTTP) at /mcp: one message a request, answered as JSON, nothing kept. */
export const createFace =
  (deps: McpDeps): Face =>
  (scope: FastifyInstance, router: AnyTRPCRouter): void => {
    const answering = { procedures: openProcedures(router), turns: createTenantTurns(TURNS) };
    const onRequest = createDemand(deps);
    const config = { rate: 'principal' as const };
    // JSON only, as at /trpc.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, scope.getDefaultJsonParser('error', 'error'));
    scope.route({
      ...{ method: 'POST', url: PATH, bodyLimit: MAX_MESSAGE_BYTES, config, onRequest },
      handler: async (request, reply) => {
        const response = await answer(deps, answering, request);
        reply.code(response.status).header('cache-control', 'no-store');
        const text = await response.text();
        return text === '' ? await reply.send() : await reply.type('application/json; charset=utf-8').send(text);
      },
    });
    scope.route({ method: ['GET', 'DELETE'], url: PATH, config, onRequest, handler: refuseMethod });
  };
