import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findRings } from './find-rings.ts';

const root = join(import.meta.dirname, '..');

/** One breach of each wall: file, its text, the rule that must report it. */
const BREACHES: readonly [wall: string, file: string, text: string, rule: string][] = [
  ['a platform folder steps out', 'server/src/bus/a.ts', "import '../telemetry/index.ts';\n", 'noRestrictedImports'],
  [
    'a subfolder steps out of its folder',
    'server/src/bus/log/a.ts',
    "import '../../telemetry/index.ts';\n",
    'noRestrictedImports',
  ],
  ['process/ knows the product', 'server/src/process/a.ts', "import '../compose/index.ts';\n", 'noRestrictedImports'],
  ['compose/ passes a door by', 'server/src/compose/a.ts', "import '../bus/index.ts';\n", 'noRestrictedImports'],
  [
    'a plane of compose/ passes a door by',
    'server/src/compose/planes/a.ts',
    "import '../../bus/index.ts';\n",
    'noRestrictedImports',
  ],
  ['a whole-product fixture passes a door by', 'server/src/testing/a.ts', "import '../bus/log.ts';\n", 'noRestrictedImports'],
  ['a feature imports a feature', 'server/src/features/fleet/a.ts', "import '../audit/index.ts';\n", 'noRestrictedImports'],
  [
    "a feature's subfolder imports a feature",
    'server/src/features/fleet/api/a.ts',
    "import '../../audit/index.ts';\n",
    'noRestrictedImports',
  ],
  ['domain/ reaches a platform folder', 'server/src/features/fleet/domain/a.ts', "import '#bus';\n", 'noRestrictedImports'],
  ['domain/ steps up', 'server/src/features/fleet/domain/b.ts', "import '../store.ts';\n", 'noRestrictedImports'],
  ['domain/ uses a library', 'server/src/features/fleet/domain/c.ts', "import 'zod';\n", 'noRestrictedImports'],
  ['pg outside relational/', 'server/src/features/fleet/b.ts', "import 'pg';\n", 'noRestrictedImports'],
  ['Prisma outside relational/', 'server/src/api/a.ts', "import '@prisma/client';\n", 'noRestrictedImports'],
  ['the server imports the simulator', 'server/src/edge/a.ts', "import '@svc/simulator/fleet';\n", 'noRestrictedImports'],
  ['contracts import the server', 'contracts/src/a.ts', "import '@svc/server';\n", 'noRestrictedImports'],
  ['bytes import the contracts', 'bytes/src/a.ts', "import '@svc/contracts/verdict';\n", 'noRestrictedImports'],
  ['the server imports the look', 'server/src/api/wears-look.ts', "import '@svc/look/icons';\n", 'noRestrictedImports'],
  ['the look imports another workspace', 'look/src/a.ts', "import '@svc/contracts/policy';\n", 'noRestrictedImports'],
  ['the browser SDK imports another workspace', 'rum-sdk/src/a.ts', "import '@svc/contracts/policy';\n", 'noRestrictedImports'],
  ['the console imports the browser SDK', 'web-console/src/loads-sdk.ts', "import '@svc/rum-sdk';\n", 'noRestrictedImports'],
  ['the wire engine imports the server', 'otlp-wire/src/a.ts', "import '@svc/server';\n", 'noRestrictedImports'],
  ['the agent imports the wire engine', 'desktop-agent/src/b.ts', "import '@svc/otlp-wire/walk';\n", 'noRestrictedImports'],
  ['native imports probes', 'native/src/a.ts', "import '@svc/probes/path';\n", 'noRestrictedImports'],
  ['probes import the agent', 'probes/src/a.ts', "import '@svc/desktop-agent/headless';\n", 'noRestrictedImports'],
  ['the runner imports the server', 'runner/src/a.ts', "import '@svc/server';\n", 'noRestrictedImports'],
  ['the agent imports the runner', 'desktop-agent/src/c.ts', "import '@svc/runner/schedule';\n", 'noRestrictedImports'],
  ['the agent imports the server', 'desktop-agent/src/a.ts', "import '@svc/server';\n", 'noRestrictedImports'],
  [
    'the simulator goes past the headless entry',
    'simulator/src/a.ts',
    "import '@svc/desktop-agent/attribution';\n",
    'noRestrictedImports',
  ],
  ['zod enters the console', 'web-console/src/a.ts', "import 'zod';\n", 'noRestrictedImports'],
  [
    "a console's feature imports another",
    'web-console/src/features/endpoint/a.ts',
    "import '../audit/page.tsx';\n",
    'noRestrictedImports',
  ],
  [
    "a subfolder of a console's feature imports another feature",
    'web-console/src/features/endpoint/fleet/a.ts',
    "import '../../audit/page.ts';\n",
    'noRestrictedImports',
  ],
  [
    'a folder below that does',
    'web-console/src/features/endpoint/fleet/table/a.ts',
    "import '../../../audit/page.ts';\n",
    'noRestrictedImports',
  ],
  [
    "a console's feature goes around by the folder of all",
    'web-console/src/features/endpoint/b.ts',
    "import '../../features/audit/page.ts';\n",
    'noRestrictedImports',
  ],
  ['a folder has an env.ts of its own', 'desktop-agent/src/main/env.ts', 'export const a = process.env.A;\n', 'noProcessEnv'],
  [
    'an instant is shown by hand',
    'web-console/src/features/logs/a.tsx',
    'export const A = () => <time dateTime="2026-11-24T01:10:00Z">02:10</time>;\n',
    'noRestrictedElements',
  ],
  ['the environment is read elsewhere', 'server/src/api/b.ts', 'export const a = process.env.A;\n', 'noProcessEnv'],
  ['a default export', 'server/src/api/c.ts', 'export default 1;\n', 'noDefaultExport'],
  ['an enum', 'server/src/api/d.ts', 'export enum A {\n  B = 1,\n}\n', 'noEnum'],
  ['four parameters', 'server/src/api/e.ts', 'export const f = (a: 1, b: 1, c: 1, d: 1) => [a, b, c, d];\n', 'useMaxParams'],
  ['a file of 301 lines', 'server/src/api/f.ts', 'export {};\n'.repeat(301), 'noExcessiveLinesPerFile'],
  ['a name that is not kebab-case', 'server/src/api/badName.ts', 'export {};\n', 'useFilenamingConvention'],
  ['an import cycle', 'server/src/api/g.ts', "import './h.ts';\n", 'noImportCycles'],
  ['a focused test', 'server/src/api/i.test.ts', "import { it } from 'vitest';\n\nit.only('a', () => {});\n", 'noFocusedTests'],
];

const ALLOWED: readonly [file: string, text: string][] = [
  ['server/src/api/h.ts', "import './g.ts';\n"],
  ['web-console/src/ui/moments/time.tsx', 'export const Time = () => <time dateTime="2026-11-24T01:10:00Z">02:10</time>;\n'],
  ['server/src/features/fleet/domain/ok.ts', "import './a.ts';\nimport '#kernel';\nimport '@svc/contracts/verdict';\n"],
  ['server/src/relational/ok.ts', "import 'pg';\n"],
  ['server/src/bus/log/ok.ts', "import '../index.ts';\n"],
  ['server/src/process/ok.ts', "import '../config.ts';\nimport '#kernel';\n"],
  ['server/src/compose/ok.ts', "import '../config.ts';\nimport '../features/fleet/index.ts';\nimport '../process/serve.ts';\n"],
  [
    'server/src/compose/planes/ok.ts',
    "import '../../config.ts';\nimport '../../features/fleet/index.ts';\nimport '../platform.ts';\n",
  ],
  ['otlp-wire/src/ok.ts', "import '@svc/bytes';\nimport '@svc/contracts/otlp/descriptor';\n"],
  ['server/src/features/fleet/serves-sdk.ts', "import '@svc/rum-sdk/releases';\n"],
  ['server/src/features/otlp/ok.ts', "import '@svc/otlp-wire/walk';\n"],
  ['web-console/src/features/endpoint/ok.ts', "import './fleet/ok.ts';\nimport '../../ui/words/format.ts';\n"],
  [
    'web-console/src/features/endpoint/fleet/ok.ts',
    "import '../page.ts';\nimport '../device/a.ts';\nimport '../../../ui/a.ts';\n",
  ],
  ['web-console/src/features/endpoint/fleet/table/ok.ts', "import '../../page.ts';\nimport '../../../../ui/a.ts';\n"],
  ['desktop-agent/src/env.ts', 'export const a = process.env.A;\n'],
  ['simulator/src/ok.ts', "import '@svc/desktop-agent/headless';\n"],
];

interface Diagnostic {
  category?: string;
  location?: { path?: string | { file?: string } };
}

let folder = '';
let found: string[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-walls-'));
  const config = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'));
  // The toy tree is no git checkout; the rules are the real ones.
  config.vcs = { enabled: false };
  config.$schema = undefined;
  writeFileSync(join(folder, 'biome.json'), JSON.stringify(config));
  for (const [file, text] of [...BREACHES.map(([, path, content]) => [path, content] as const), ...ALLOWED]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const biome = join(root, 'node_modules', '.bin', 'biome');
  const run = spawnSync(biome, ['lint', '--reporter=json', '--max-diagnostics=none', '.'], { cwd: folder, encoding: 'utf8' });
  const { diagnostics } = JSON.parse(run.stdout) as { diagnostics: Diagnostic[] };
  found = diagnostics.map(({ category, location }) => {
    const path = typeof location?.path === 'string' ? location.path : (location?.path?.file ?? '');
    return `${path.replace(/^\.\//, '')} ${category?.split('/').at(-1)}`;
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the walls', () => {
  it.each(BREACHES)('%s: refused', (...[, file, , rule]) => {
    expect(found).toContain(`${file} ${rule}`);
  });

  it.each(ALLOWED)('%s: allowed', (file) => {
    expect(found.filter((one) => one.startsWith(`${file} `) && !one.endsWith('noImportCycles'))).toEqual([]);
  });
});

/** What tests and their programs are made of is not counted. */
const OF_TESTS = /\.(test|spec|bench|contract)\.[a-z]+$|(^|\/)test-[^/]+$|-child\.ts$/;

/** Files of the checkout, those not committed yet too. */
function listFiles(): string[] {
  const listed = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  expect(listed.status).toBe(0);
  return [...new Set(listed.stdout.split('\n'))].filter((file) => !OF_TESTS.test(file) && existsSync(join(root, file)));
}

const MOST_FILES = 20;

describe('a folder', () => {
  it(`holds ${MOST_FILES} files at most beside tests and what only they use`, () => {
    const counts = new Map<string, number>();
    for (const file of listFiles()) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    expect(counts.size).toBeGreaterThan(100);
    expect([...counts].filter(([, files]) => files > MOST_FILES)).toEqual([]);
  });
});

interface Size {
  files: number;
  lines: number;
}

const MOST_OF_A_SLICE: Size = { files: 40, lines: 3000 };

/** Slices of the server with more files or lines beside their tests than one may have. */
function findLargeSlices(files: readonly string[], linesOf: (file: string) => number): [slice: string, size: Size][] {
  const sizes = new Map<string, Size>();
  for (const file of files) {
    const slice = /^server\/src\/features\/([^/]+)\//.exec(file)?.[1];
    if (slice === undefined) continue;
    const size = sizes.get(slice) ?? { files: 0, lines: 0 };
    sizes.set(slice, { files: size.files + 1, lines: size.lines + linesOf(file) });
  }
  return [...sizes].filter(([, { files, lines }]) => files > MOST_OF_A_SLICE.files || lines > MOST_OF_A_SLICE.lines);
}

describe('a slice of the server', () => {
  it(`has ${MOST_OF_A_SLICE.files} files and ${MOST_OF_A_SLICE.lines} lines at most beside its tests`, () => {
    const linesOf = (file: string): number => readFileSync(join(root, file), 'utf8').split('\n').length - 1;
    expect(findLargeSlices(listFiles(), linesOf)).toEqual([]);
  });

  it('is found where it has more of either', () => {
    const many = Array.from({ length: 41 }, (_, i) => `server/src/features/many/domain/${i}.ts`);
    const files = [...many, 'server/src/features/long/api.ts', 'server/src/features/fit/api.ts'];
    expect(findLargeSlices(files, (file) => (file.includes('/long/') ? 3001 : 73))).toEqual([
      ['many', { files: 41, lines: 41 * 73 }],
      ['long', { files: 1, lines: 3001 }],
    ]);
  });
});

/**
 * Who reads the environment, one of each workspace; of tests and generators, which are programs of their own, one each. The lint rule
 * does not see it taken apart (`const { env } = process`) or imported whole.
 */
const READERS = [
  'server/src/config.ts',
  'server/generate.js',
  'desktop-agent/src/env.ts',
  'desktop-agent/e2e/env.ts',
  'e2e/env.ts',
  'otlp-wire/src/walk/fuzz/env.ts',
  'scripts/env.js',
];
const READS = [
  /\bprocess\??\.env\b(?!\.NODE_ENV)/,
  /\bprocess(\?\.)?\[['"]env/,
  /\benv\b[^=;]*\} = (globalThis\.)?process\b/,
  /\{[^}]*\benv\b[^}]*\} from '(node:)?process'/,
  /\* as \w+ from '(node:)?process'/,
];
const isReading = (text: string): boolean => READS.some((form) => form.test(text));

describe('the environment', () => {
  it('is read in one file a workspace', () => {
    const sources = listFiles().filter((file) => /\.[jt]sx?$/.test(file) && !/(^|\/)vitest\./.test(file));
    // A program that a test writes reads the one that it is given.
    const found = sources.filter((file) => isReading(readFileSync(join(root, file), 'utf8')));
    expect(found.filter((file) => file !== 'native/src/testing/windows-machine.ts').sort()).toEqual([...READERS].sort());
  });

  it.each([
    'const { env } = process;',
    "import { argv, env } from 'node:process';",
    "process['env'].A",
    'globalThis.process?.env.A',
    "import * as all from 'process';",
  ])('is found where it is read as %s', (text) => {
    expect(isReading(text)).toBe(true);
  });
});

describe('a folder of what is built', () => {
  it('holds no source', () => {
    expect(listFiles().filter((file) => /(^|\/)(build|dist)\//.test(file))).toEqual([]);
  });
});

describe('server/src', () => {
  it('holds entry points, the configuration and folders', () => {
    const files = readdirSync(join(root, 'server', 'src'), { withFileTypes: true }).filter((entry) => !entry.isDirectory());
    expect(files.map(({ name }) => name).sort()).toEqual(['config.test.ts', 'config.ts', 'main.ts', 'svc.ts']);
  });
});

describe('folders of server/src', () => {
  it('never import each other', () => {
    const { imports } = JSON.parse(readFileSync(join(root, 'server', 'package.json'), 'utf8')) as {
      imports: Record<string, { default: string }>;
    };
    const doors = Object.entries(imports).map(([name, { default: file }]) => [name, join(root, 'server', file)]);
    expect(doors.length).toBeGreaterThan(5);
    expect(findRings(join(root, 'server', 'src'), { doors: Object.fromEntries(doors) })).toEqual([]);
  });

  it.each(['otlp-wire', 'bytes'])('never import each other in %s either', (workspace) => {
    expect(findRings(join(root, workspace, 'src'))).toEqual([]);
  });

  it('never import each other in desktop-agent, nor a file above them one of theirs that imports it', () => {
    expect(findRings(join(root, 'desktop-agent', 'src'), { rootFiles: true })).toEqual([]);
  });

  it('are found where they do, by a path, by a door and by a type alone', () => {
    const source = mkdtempSync(join(tmpdir(), 'svc-rings-'));
    const files: Record<string, string> = {
      'a/a.ts': "import type { B } from '../b/b.ts';\n",
      'b/b.ts': "import { a } from '#a';\n",
      'c/c.ts': "import '../a/a.ts';\n",
      'c/inner/c.ts': "import '../c.ts';\n",
      'c/view.tsx': "import '../above.ts';\n",
      'above.ts': "import './c/c.ts';\n",
    };
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(source, file)), { recursive: true });
      writeFileSync(join(source, file), text);
    }
    const doors = { '#a': join(source, 'a', 'a.ts') };
    const [rings, withFiles] = [findRings(source, { doors }), findRings(source, { doors, rootFiles: true })];
    rmSync(source, { recursive: true });
    const ring = { folders: ['a', 'b'], imports: ['a/a.ts -> b/b.ts', 'b/b.ts -> a/a.ts'] };
    expect(rings).toEqual([ring]);
    const above = { folders: ['above.ts', 'c'], imports: ['above.ts -> c/c.ts', 'c/view.tsx -> above.ts'] };
    expect(withFiles.toSorted((a, b) => a.folders.join().localeCompare(b.folders.join()))).toEqual([ring, above]);
  });
});
