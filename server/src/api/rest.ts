import { HTTP_STATUS } from '@svc/contracts/error-codes';
import type { AnyTRPCProcedure, AnyTRPCRouter } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { z } from 'zod';
import { findProcedure } from './call.ts';
import type { ProcedureMeta, RestMeta } from './meta.ts';
import { missingPermission } from './trpc-errors.ts';

/** The body of every error, as the document shows it. */
export const ProblemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.string(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });

// What every signed-in route may answer beside its own errors.
const COMMON_ERRORS = ['validation', 'unauthorized', 'forbidden', 'rate_limited', 'internal'] as const;

interface Described {
  name: string;
  rest: RestMeta;
  meta: ProcedureMeta;
  input: z.ZodObject<Record<string, z.ZodType>>;
  output: z.ZodType;
}

/** Every procedure with REST meta. `_def` is tRPC's inside: its version is pinned and rest.test.ts holds what is read here. */
export function describeRest(router: AnyTRPCRouter): Described[] {
  const found: Described[] = [];
  const procedures = router._def.procedures as Record<string, AnyTRPCProcedure>;
  for (const [name, procedure] of Object.entries(procedures)) {
    const def = procedure._def as unknown as { meta?: ProcedureMeta; inputs: unknown[]; output?: unknown };
    if (!def.meta?.rest) continue;
    const input = def.inputs[0] ?? z.object({});
    if (!(input instanceof z.ZodObject)) throw new Error(`${name}: a REST procedure takes one z.object`);
    if (!(def.output instanceof z.ZodType)) throw new Error(`${name}: a REST procedure names its output`);
    found.push({ name, rest: def.meta.rest, meta: def.meta, input: input as Described['input'], output: def.output });
  }
  return found;
}

const pathNames = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '');

function schemaOf({ name, rest, meta, input, output }: Described): FastifySchema {
  const names = pathNames(rest.path);
  for (const one of names) if (!(one in input.shape)) throw new Error(`${name}: path parameter ${one} is not in the input`);
  const mask: Record<string, true> = Object.fromEntries(names.map((one) => [one, true as const]));
  const remaining = input.omit(mask);
  const hasRemaining = Object.keys(remaining.shape).length > 0;
  const inBody = rest.method !== 'GET' && rest.method !== 'DELETE';
  const problem = { description: 'Problem', content: { 'application/problem+json': { schema: ProblemSchema } } };
  const statuses = [...COMMON_ERRORS, ...(rest.errors ?? [])].map((code) => [HTTP_STATUS[code], problem]);
  const success = rest.picture
    ? { description: 'OK', content: { 'image/*': { schema: z.string().meta({ format: 'binary' }) } } }
    : rest.contentType
      ? { description: 'OK', content: { [rest.contentType]: { schema: z.string() } } }
      : rest.status === 204
        ? z.undefined().describe('No content')
        : output;
  return {
    operationId: name.replaceAll('.', '_'),
    ...(rest.tags ? { tags: [...rest.tags] } : {}),
    ...(rest.summary ? { summary: rest.summary } : {}),
    ...(meta.permission ? { description: `Permission: \`${meta.permission}\`` } : {}),
    security: [{ bearer: [] }, { session: [] }],
    ...(names.length > 0 ? { params: input.pick(mask) } : {}),
    ...(inBody && hasRemaining ? { body: remaining } : {}),
    ...(!inBody && hasRemaining ? { querystring: rest.query ?? remaining } : {}),
    response: { ...Object.fromEntries(statuses), [rest.status ?? 200]: success },
  };
}

/** Whoever lacks the permission learns nothing of what the route takes; the procedure checks it again. */
const demandPermission =
  ({ permission }: ProcedureMeta) =>
  async ({ principalCtx }: FastifyRequest): Promise<void> => {
    if (permission !== undefined && !principalCtx?.principal.permissions.has(permission)) throw missingPermission(permission);
  };

/** Mounts every procedure with REST meta as a real route of `app` (registered below /v1), run through the same middleware. */
export function mountRest(app: FastifyInstance, router: AnyTRPCRouter): void {
  for (const described of describeRest(router)) {
    const { rest, name, meta } = described;
    const procedure = findProcedure(router, name);
    app.route({
      config: { rate: 'principal' },
      onRequest: demandPermission(meta),
      method: rest.method,
      url: rest.path,
      schema: schemaOf(described),
      // A string answer of another content type must not go through the JSON serialiser.
      ...(rest.contentType ? { serializerCompiler: () => (data: unknown) => String(data) } : {}),
      handler: async (request, reply) => {
        const context = { requestId: request.id, ctx: request.principalCtx };
        const input = { ...objectOf(request.query), ...objectOf(request.body), ...objectOf(request.params) };
        const answer = await procedure?.call(context, input);
        reply.code(rest.status ?? 200);
        if (rest.picture) return sendPicture(reply, answer as Picture);
        if (rest.contentType) reply.type(rest.contentType);
        return answer;
      },
    });
  }
}

interface Picture {
  media_type: string;
  base64: string;
}

/** Kept by the browser alone, for as long as whoever sees it is signed in there. */
const sendPicture = (reply: FastifyReply, { media_type: type, base64 }: Picture): FastifyReply =>
  reply.type(type).header('cache-control', 'private, max-age=86400, immutable').send(Buffer.from(base64, 'base64'));

const objectOf = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});
