import { TestSpec } from '@svc/contracts/tests/test';
import { TEST_TYPES, type TestType } from '@svc/contracts/tests/test-types';
import type { WrittenTest } from '@svc/contracts/tests/written-test';
import { type Document, isMap, isPair, isScalar, LineCounter, parseDocument, stringify } from 'yaml';

/** Tests as YAML (docs/tests/tests.md): `tests:` and a list, each by its name. */

export interface FileFault {
  line: number;
  column: number;
  message: string;
}

type Path = readonly (string | number)[];

interface Place {
  document: Document;
  lines: LineCounter;
}

/** Where a value stands; of one that is not there, where the nearest thing around it begins. */
function placeOf({ document, lines }: Place, path: Path): Pick<FileFault, 'line' | 'column'> {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    const range = (node as { range?: [number, number, number] } | undefined)?.range;
    if (range) {
      const { line, col } = lines.linePos(range[0]);
      return { line, column: col };
    }
  }
  return { line: 1, column: 1 };
}

/** Where a key stands in a mapping. */
function keyPlaceOf(place: Place, path: Path, key: string): Pick<FileFault, 'line' | 'column'> {
  const node = place.document.getIn(path, true);
  const pair = isMap(node) ? node.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === key) : undefined;
  const range = (pair?.key as { range?: [number, number, number] } | undefined)?.range;
  if (!range) return placeOf(place, path);
  const { line, col } = place.lines.linePos(range[0]);
  return { line, column: col };
}

function checkTest(place: Place, at: Path, written: unknown): FileFault[] {
  const read = TestSpec.safeParse(written);
  if (read.success) return [];
  return read.error.issues.flatMap((issue): FileFault[] => {
    const path = [...at, ...(issue.path as (string | number)[])];
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({ ...keyPlaceOf(place, path, key), message: `there is no field “${key}” here` }));
    const name = issue.path.map(String).join('.');
    return [{ ...placeOf(place, path), message: name === '' ? issue.message : `${name}: ${issue.message}` }];
  });
}

/** A file that was read before the first test is made: all of it, or every fault with its line and column. */
export function readTestFile(text: string): { tests: WrittenTest[] } | { faults: FileFault[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  if (document.errors.length > 0)
    return {
      faults: document.errors.map(({ pos, message }) => {
        const { line, col } = lines.linePos(pos[0]);
        return { line, column: col, message };
      }),
    };
  const place = { document, lines };
  const content = document.toJS({ maxAliasCount: 100 }) as unknown;
  const isList = Array.isArray(content);
  const list = isList ? content : (content as { tests?: unknown } | null)?.tests;
  if (!Array.isArray(list)) return { faults: [{ line: 1, column: 1, message: 'the file needs “tests:” with a list of tests' }] };
  const at = (index: number): Path => (isList ? [index] : ['tests', index]);
  const faults = list.flatMap((one, index) => checkTest(place, at(index), one));
  const seen = new Map<string, number>();
  for (const [index, one] of list.entries()) {
    const name = String((one as { name?: unknown } | null)?.name ?? '')
      .trim()
      .toLowerCase();
    const first = seen.get(name);
    if (name !== '' && first !== undefined)
      faults.push({
        ...placeOf(place, [...at(index), 'name']),
        message: `this name is taken by the test in line ${placeOf(place, at(first)).line}`,
      });
    else seen.set(name, index);
  }
  if (faults.length > 0) return { faults: faults.toSorted((a, b) => a.line - b.line || a.column - b.column) };
  return { tests: list as WrittenTest[] };
}

const SAMPLE_TARGETS: Readonly<Record<TestType, string>> = {
  ...{ http: 'http://x.example', https: 'https://x.example', browser: 'https://x.example' },
  ...{ dns: 'x.example', icmp: 'x.example', tcp: 'x.example:1', udp: 'x.example:1' },
};
const DEFAULTS = Object.fromEntries(
  TEST_TYPES.map((type) => [type, TestSpec.parse({ name: 'x', type, target: SAMPLE_TARGETS[type] } as never)]),
) as Readonly<Record<TestType, TestSpec>>;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Without what is so anyway. */
function withoutDefaults(value: unknown, usual: unknown): unknown {
  if (JSON.stringify(value) === JSON.stringify(usual)) return undefined;
  if (!isRecord(value) || !isRecord(usual)) return value;
  const kept = Object.entries(value).flatMap(([key, one]) => {
    const left = withoutDefaults(one, usual[key]);
    return left === undefined ? [] : [[key, left] as const];
  });
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/** Tests by name, without what is so anyway: the same tests are the same text. */
export function writeTestFile(tests: readonly WrittenTest[]): string {
  const sorted = tests.toSorted((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
  const shown = sorted.map(({ name, type, target, ...rest }) => {
    const { name: _name, type: _type, target: _target, ...usual } = DEFAULTS[type];
    return { name, type, target, ...(withoutDefaults(rest, usual) as object | undefined) };
  });
  return stringify({ tests: shown }, { lineWidth: 0 });
}
