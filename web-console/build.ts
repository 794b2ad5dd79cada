import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build, type Rollup } from 'vite';

/** All JS and CSS that the fleet page loads before it paints, gzipped. */
const BUDGET_BYTES = 250 * 1024;
const ROOT = fileURLToPath(new URL('.', import.meta.url));
const FLEET_CHUNK = 'src/features/endpoint/fleet/fleet-page.tsx';

type Chunk = Rollup.OutputChunk & { viteMetadata?: { importedCss: Set<string> } };

/** File names that a chunk needs before it runs: itself, its static imports all the way down, and their CSS. */
function collectFiles(entry: Chunk, chunks: ReadonlyMap<string, Chunk>): Set<string> {
  const files = new Set<string>();
  const visit = (chunk: Chunk): void => {
    if (files.has(chunk.fileName)) return;
    files.add(chunk.fileName);
    for (const css of chunk.viteMetadata?.importedCss ?? []) files.add(css);
    for (const name of chunk.imports) {
      const imported = chunks.get(name);
      if (imported) visit(imported);
    }
  };
  visit(entry);
  return files;
}

function checkBudget(output: Rollup.RollupOutput): void {
  const chunks = new Map(
    output.output.filter((file): file is Chunk => file.type === 'chunk').map((chunk) => [chunk.fileName, chunk]),
  );
  const all = [...chunks.values()];
  const entry = all.find((chunk) => chunk.isEntry);
  const fleet = all.find((chunk) => chunk.facadeModuleId?.endsWith(FLEET_CHUNK));
  if (!entry || !fleet) throw new Error(`The budget check found no entry or no chunk of ${FLEET_CHUNK}.`);
  if (all.some((chunk) => chunk.moduleIds.some((id) => /node_modules\/zod\//.test(id))))
    throw new Error('zod is in the console bundle.');
  const files = [...new Set([...collectFiles(entry, chunks), ...collectFiles(fleet, chunks)])];
  const sizes = files.map((name) => ({ name, bytes: gzipSync(readFileSync(`${ROOT}dist/${name}`)).length }));
  const total = sizes.reduce((sum, file) => sum + file.bytes, 0);
  for (const file of sizes) process.stdout.write(`  ${(file.bytes / 1024).toFixed(1).padStart(7)} KB  ${file.name}\n`);
  process.stdout.write(`fleet page: ${(total / 1024).toFixed(1)} KB gzip of ${BUDGET_BYTES / 1024} KB\n`);
  if (total > BUDGET_BYTES) throw new Error(`The fleet page loads ${total} bytes gzip, more than its budget of ${BUDGET_BYTES}.`);
}

/** Text assets beside themselves in .gz and .br, so that the server compresses nothing on the way. index.html changes with every answer. */
function compressAssets(): void {
  for (const entry of readdirSync(`${ROOT}dist`, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(js|css|svg|txt)$/.test(entry)) continue;
    const bytes = readFileSync(`${ROOT}dist/${entry}`);
    writeFileSync(`${ROOT}dist/${entry}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(`${ROOT}dist/${entry}.br`, brotliCompressSync(bytes));
  }
}

const result = await build({
  root: ROOT,
  configFile: false,
  logLevel: 'warn',
  plugins: [react()],
  build: { outDir: 'dist', emptyOutDir: true, target: 'es2023', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
});
if (Array.isArray(result) || !('output' in result)) throw new Error('Expected one build output.');
checkBudget(result);
compressAssets();
