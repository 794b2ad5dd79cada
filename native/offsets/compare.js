// node compare.js linux|darwin|win32 printed.txt: what a program of this folder printed beside our table. Exits with 1 on a difference.
import { readFileSync } from 'node:fs';
import { layoutLines } from '../src/testing/layout-lines.ts';

const [system = '', file = ''] = process.argv.slice(2);
const tables = await import(`../src/ffi/layout/${system}.ts`);
const ours = layoutLines(tables[system.toUpperCase()]);
const theirs = readFileSync(file, 'utf8').trim().split(/\r?\n/);
for (const line of ours.filter((one) => !theirs.includes(one))) console.log(`our table:  ${line}`);
for (const line of theirs.filter((one) => !ours.includes(one))) console.log(`the system: ${line}`);
const same = ours.length === theirs.length && ours.every((line) => theirs.includes(line));
console.log(same ? `${ours.length} entries agree` : 'the two differ');
process.exitCode = same ? 0 : 1;
