import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '#kernel';

/** `server/src` in a checkout's sources, `server/dist` in its bundle, or the bundle's folder in a release. */
const program = import.meta.dirname.endsWith(join('src', 'process')) ? join(import.meta.dirname, '..') : import.meta.dirname;

const candidates = (...paths: readonly string[]): string[] => paths.map((path) => join(program, path));

/** The built console: of the checkout, or beside the bundle in a release. */
export const findConsole = (): string => {
  const paths = candidates('../../web-console/dist', '../web-console/dist', './console');
  return paths.find((path) => existsSync(path)) ?? paths[0] ?? '';
};

/** The folder of ClickHouse migrations: of the checkout, or beside the bundle in a release. */
export function findClickhouseMigrations(): string {
  const found = candidates('../../clickhouse/migrations', '../clickhouse/migrations').find((path) => existsSync(path));
  if (!found) throw new AppError('internal', 'The folder clickhouse/migrations is missing from this installation.');
  return found;
}
