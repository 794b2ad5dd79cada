/**
 * The Model Context Protocol: assistants of a tenant's people ask what the API answers, read-only (docs/mcp.md). In: a message with an API
 * token that holds `ai.query`, of a tenant that consented. Out: what the caller may read, masked and bounded; who asked is in the trail.
 */
import { keepsNothing, type Slice } from '#kernel';
import type { McpDeps } from './context.ts';
import { createFace } from './face.ts';

export type { McpDeps } from './context.ts';

export const createMcp = (deps: McpDeps) =>
  ({
    name: 'mcp',
    roles: ['api'],
    /** Mounted with the API, by whose procedures it answers. */
    face: createFace(deps),
    data: keepsNothing('It asks the procedures of other slices and remembers no client.'),
  }) satisfies Slice & Record<string, unknown>;
