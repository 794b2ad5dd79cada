export { mountConsole } from './console.ts';
export { createGrpcEdge, type GrpcEdge, type GrpcEdgeDeps } from './grpc.ts';
export { type AgentCall, type AgentStream, agentOf, type VerifiedAgent } from './grpc-calls.ts';
export { toGrpcError } from './grpc-status.ts';
export { type HealthDeps, mountHealth, type Readiness } from './health.ts';
export { createHttpEdge, type HttpEdge, type HttpEdgeDeps } from './http.ts';
export { answerError, type Problem, toAppError, toProblem } from './problem.ts';
