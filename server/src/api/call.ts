import type { Permission } from '@svc/contracts/permissions';
import type { AnyTRPCProcedure, AnyTRPCRouter } from '@trpc/server';
import type { ProcedureMeta } from './meta.ts';
import { createCallerFactory, type RequestContext } from './procedure.ts';

export interface OpenProcedure {
  type: 'query' | 'mutation' | 'subscription';
  /** Undefined where any signed-in person may call it, or where it demands what it needs itself. */
  permission: Permission | undefined;
  /** Through the same middleware as over the network: permission, schema, end of access. */
  call: (context: RequestContext, input: unknown) => Promise<unknown>;
}

/** A procedure by its name; undefined where there is none. `_def` is tRPC's inside: its version is pinned. */
export function findProcedure(router: AnyTRPCRouter, name: string): OpenProcedure | undefined {
  const found = (router._def.procedures as Record<string, AnyTRPCProcedure>)[name];
  if (!found) return undefined;
  const { type, meta } = found._def as unknown as { type: OpenProcedure['type']; meta?: ProcedureMeta };
  const createCaller = createCallerFactory(router);
  return {
    type,
    permission: meta?.permission,
    call: async (context, input) => {
      const caller: unknown = createCaller(context);
      const call = name.split('.').reduce((node, key) => (node as Record<string, unknown>)[key], caller);
      return await (call as (input: unknown) => Promise<unknown>)(input);
    },
  };
}
