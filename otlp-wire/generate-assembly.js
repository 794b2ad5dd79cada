// Compiles assembly/ to WebAssembly, as modules that hold its bytes: sources, tests and the bundle find them alike.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';

const here = import.meta.dirname;
/** As src/assembly.ts makes their memories: shared, so that they grow without taking the views of them away. */
const MEMORY = ['--importMemory', '--sharedMemory', '--initialMemory', '16', '--maximumMemory', '32768'];
const CODE = ['-O3', '--noAssert', '--runtime', 'minimal', '--enable', 'threads', '--use', 'abort='];

async function compile(part, folder) {
  let binary;
  const entry = join(here, 'assembly', part, 'index.ts');
  const { error, stderr } = await asc.main([entry, '--outFile', 'assembly.wasm', ...CODE, ...MEMORY], {
    writeFile: (_name, contents) => {
      binary = contents;
    },
  });
  if (error) throw new Error(`${error.message}\n${stderr.toString()}`);
  const target = join(here, folder, 'generated');
  mkdirSync(target, { recursive: true });
  const text = Buffer.from(binary).toString('base64');
  writeFileSync(
    join(target, 'assembly.ts'),
    `// Made by otlp-wire/generate-assembly.js out of otlp-wire/assembly/${part}.\nexport const ASSEMBLY = '${text}';\n`,
  );
}

await compile('rows', 'src/rows/assembly');
await compile('walk', 'src/walk');
