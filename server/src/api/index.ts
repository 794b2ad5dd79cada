export { findProcedure, type OpenProcedure } from './call.ts';
export { listLimit, listLimitQuery } from './list-limit.ts';
export type { ProcedureMeta, RestMeta } from './meta.ts';
export { type ApiDeps, type Face, mountApi } from './mount.ts';
export { oneOrMore } from './one-or-more.ts';
export { countOfPage } from './page-weight.ts';
export { createCallerFactory, permitted, type RequestContext, router, signedIn } from './procedure.ts';
export { missingPermission } from './trpc-errors.ts';
