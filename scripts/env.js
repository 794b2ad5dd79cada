// The only reader of process.env in scripts/.
// biome-ignore-all lint/style/noProcessEnv: this file is that one place
import { delimiter, join } from 'node:path';

export const root = join(import.meta.dirname, '..');

/** The environment for children: the repository's own programs, and so its Node 24, come first on the PATH. */
export const childEnv = (extra = {}) => ({
  ...process.env,
  PATH: `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH ?? ''}`,
  TURBO_TELEMETRY_DISABLED: '1',
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node-compile'),
  ...extra,
});

export const isCi = process.env.CI === 'true' || process.env.CI === '1';
export const hasColour = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;
export const setting = (name) => process.env[name];
