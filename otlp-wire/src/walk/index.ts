export { OtlpFault, type OtlpFaultKind } from './fault.ts';
export { jsonToWire } from './json/to-wire.ts';
export { isOutOfTime } from './out-of-time.ts';
export { readResource } from './read-resource.ts';
export { emptyResponse, emptyResponseJson, partialSuccess, partialSuccessJson } from './response.ts';
export { SIGNALS, type Signal } from './signal.ts';
export { split } from './split.ts';
export { type Walked, walk } from './walk.ts';
