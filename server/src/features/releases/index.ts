import type { FastifyInstance } from 'fastify';
import { keepsNothing, type Slice } from '#kernel';
import type { ReleaseWriteDeps } from './context.ts';
import { mountReleaseRoutes, type ReleaseRoutesDeps } from './ingress.ts';
import { listReleases, promoteVersion, renewReleases } from './promote.ts';
import { type FolderRelease, publishFolder } from './publish.ts';

export type { ReleaseAction } from './context.ts';
export { type FolderRelease, signFolder } from './publish.ts';

/** Releases of the agent as the server gives them out. In: /agent/releases of the HTTPS listener. Out: signed feeds and files. */
export function createReleases(deps: ReleaseRoutesDeps) {
  return {
    name: 'releases',
    roles: ['api'],
    data: keepsNothing('releases are the same for all tenants'),
    routes: (app: FastifyInstance): void => mountReleaseRoutes(app, deps),
  } satisfies Slice;
}

/** The same as the command line changes them; nothing else does. `pem` is the private key that signs. */
export const createReleaseDesk = (deps: ReleaseWriteDeps) => ({
  publish: (release: FolderRelease, pem: string | undefined) => publishFolder(deps, release, pem),
  promote: (input: Parameters<typeof promoteVersion>[1], pem: string) => promoteVersion(deps, input, pem),
  renew: (input: Parameters<typeof renewReleases>[1], pem: string) => renewReleases(deps, input, pem),
  list: () => listReleases(deps),
});
