// Makes the codecs of the protocols out of proto/*.proto: plain functions without reflection, small enough for the agent.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const here = import.meta.dirname;
const out = join(here, 'src', 'generated');
const pbf = join(dirname(createRequire(import.meta.url).resolve('pbf')), 'bin', 'pbf');
mkdirSync(out, { recursive: true });
for (const protocol of ['agent', 'runner']) {
  const run = spawnSync(process.execPath, [pbf, join(here, 'proto', `${protocol}.proto`)], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`pbf failed: ${run.stderr}`);
  writeFileSync(join(out, `${protocol}-codec.js`), run.stdout);
  const names = [...run.stdout.matchAll(/^export function (read|write)(\w+)\(/gm)].map(([, verb, name]) =>
    verb === 'read'
      ? `export function read${name}(pbf: PbfReader, end?: number): unknown;`
      : `export function write${name}(message: unknown, pbf: PbfWriter): void;`,
  );
  writeFileSync(join(out, `${protocol}-codec.d.ts`), `import type { PbfReader, PbfWriter } from 'pbf';\n\n${names.join('\n')}\n`);
}
