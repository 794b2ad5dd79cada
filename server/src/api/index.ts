export type { ProcedureMeta, RestMeta } from './meta.ts';
export { createCallerFactory, permitted, type RequestContext, router, signedIn } from './procedure.ts';
