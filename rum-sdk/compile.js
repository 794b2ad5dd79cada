import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';

const here = import.meta.dirname;
const read = (file) => readFileSync(join(here, file), 'utf8');

/** Of package.json: what each beacon says in its field sdk. */
export const { version } = JSON.parse(read('package.json'));

/** Browsers since 2021; an older one finds a syntax error, and its page is as without the script. */
const target = 'es2021';
const EXPORT = /export const rum =/;

/** The source without types, as the body of a function; `given` is what it is configured by, `asWhat` begins the statement that gives it away. */
async function readBody(given, asWhat) {
  const define = { OPTIONS: given, VERSION: JSON.stringify(version) };
  // Constants are put where they are used here: inside of a function they would be kept, too.
  const { code } = await transform(read('src/rum.ts'), { loader: 'ts', target, minifySyntax: true, treeShaking: true, define });
  if (!EXPORT.test(code)) throw new Error('src/rum.ts exports no rum.');
  // Two bytes each, and the one list of declarations that they make of two.
  return code.replace(EXPORT, asWhat).replace(/\bconst /g, 'let ');
}

const minify = async (text, format) =>
  (await transform(text, { minify: true, format, target, legalComments: 'none' })).code.trim();

/** The classic script, one line of text, configured by its own attributes. Included twice, the first one wins: two would send each view twice. */
export const buildScript = async () => minify(`(() => { ${await readBody('doc.currentScript.dataset', 'win.svcRUM ||=')} })();`);

/** The module for bundlers. Nothing of a browser is touched before its function is called, so that servers may import it. */
export const buildModule = async () =>
  minify(`export const createRum = (OPTIONS) => { ${await readBody('OPTIONS', 'return')} };`, 'esm');

/** The module's types. */
export const describeTypes = () => `${read('src/options.ts')}\nexport declare const createRum: (options: RumOptions) => Rum;\n`;
