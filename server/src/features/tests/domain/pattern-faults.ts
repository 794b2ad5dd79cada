import type { TestSpec } from '@svc/contracts/tests/test';
import type { Fault } from '#kernel';

/** Says what is wrong with an expression or a JSON path; undefined: nothing is. Whoever runs tests knows. */
export interface PatternChecks {
  expression: (pattern: string) => string | undefined;
  jsonPath: (path: string) => string | undefined;
}

const EXPRESSIONS: ReadonlySet<string> = new Set(['matches', 'body_matches', 'expect_matches', 'answers_match']);
const JSON_PATH = /^params\.assertions\.json\.\d+\.path$/;

/** Every expression and JSON path of a test that whoever runs it could not read, by its field. */
export function findPatternFaults({ params }: Pick<TestSpec, 'params'>, { expression, jsonPath }: PatternChecks): Fault[] {
  const faults: Fault[] = [];
  const visit = (value: unknown, path: string, key: string): void => {
    if (typeof value === 'string') {
      const message = EXPRESSIONS.has(key) ? expression(value) : JSON_PATH.test(path) ? jsonPath(value) : undefined;
      if (message !== undefined) faults.push({ path, message });
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) visit(inner, `${path}.${name}`, name);
    }
  };
  visit(params, 'params', 'params');
  return faults;
}
