import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { layoutLines } from '../../testing/layout-lines.ts';
import { macMissing } from '../../testing/mac-machine.ts';
import { DARWIN } from './darwin.ts';
import { LINUX } from './linux.ts';

const sourceOf = (system: string): string => fileURLToPath(new URL(`../../../offsets/${system}.c`, import.meta.url));
const missing = macMissing();

it.skipIf(missing)("Linux's table is what its headers say", () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-offsets-'));
  try {
    const program = join(folder, 'linux');
    execFileSync('cc', ['-Wall', '-o', program, sourceOf('linux')]);
    const printed = execFileSync(program, { encoding: 'utf8' });
    expect(printed.trim().split('\n').sort()).toEqual(layoutLines(LINUX));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it("macOS' program prints every entry of its table, and no other", () => {
  const source = readFileSync(sourceOf('darwin'), 'utf8');
  const fields = [...source.matchAll(/^ {2}(SIZE|AT|VALUE)\((\w+)(?:, (\w+))?\);$/gm)];
  const printed = fields.map(([, kind, name, field]) =>
    kind === 'VALUE' ? name : `${name}.${kind === 'SIZE' ? 'sizeof' : field}`,
  );
  expect(printed.sort()).toEqual(layoutLines(DARWIN).map((line) => line.split(' ')[0]));
});
