export { mountConsole } from './console.ts';
export { type HealthDeps, mountHealth, type Readiness } from './health.ts';
export { createHttpEdge, type HttpEdge, type HttpEdgeDeps } from './http.ts';
export { answerError, type Problem, toAppError, toProblem } from './problem.ts';
