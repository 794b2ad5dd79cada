export { listLimit, listLimitQuery } from './list-limit.ts';
export type { ProcedureMeta, RestMeta } from './meta.ts';
export { type ApiDeps, mountApi } from './mount.ts';
export { countOfPage } from './page-weight.ts';
export { createCallerFactory, permitted, type RequestContext, router, signedIn } from './procedure.ts';
