/** What those who write tests are told of expressions and JSON paths: the very checks that a run makes. */
export { checkExpression } from '@svc/probes/synthetic/checks/expression';
export { checkJsonPath } from '@svc/probes/synthetic/checks/json-path';
