import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** Two rooms whose files import each other's, with one import of each way. */
export interface Ring {
  folders: readonly [string, string];
  imports: readonly [string, string];
}

const IMPORTED = /(?:\bfrom|\bimport\(|\bimport)\s*'([^']+)'/g;
/** What only tests load may know both sides. */
const OF_TESTS = /\.(test|contract)\.tsx?$|(^|\/)test-[^/]+$|-child\.ts$/;

function listFiles(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !OF_TESTS.test(file));
}

const holds = (outer: string, inner: string): boolean => outer === '' || inner.startsWith(`${outer}/`);

interface Rooms {
  /** The `imports` of the package, by name. */
  doors?: Readonly<Record<string, string>>;
  /** Each file that lies in no folder is a room of its own. */
  rootFiles?: boolean;
}

/**
 * Folders below `source` that import each other, types included. A folder and one inside of it are one room: they may, as far as
 * noImportCycles lets their files.
 */
export function findRings(source: string, { doors = {}, rootFiles = false }: Rooms = {}): Ring[] {
  const roomOf = (file: string): string => relative(source, dirname(file)) || (rootFiles ? relative(source, file) : '');
  const first = new Map<string, string>();
  for (const file of listFiles(source)) {
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(IMPORTED)) {
      const door = doors[name];
      const target = name.startsWith('.') ? resolve(dirname(file), name) : door;
      if (target === undefined) continue;
      const [from, to] = [roomOf(file), roomOf(target)];
      if (from === to || holds(from, to) || holds(to, from) || to.startsWith('..')) continue;
      const ring = `${from} ${to}`;
      if (!first.has(ring)) first.set(ring, `${relative(source, file)} -> ${relative(source, target)}`);
    }
  }
  return [...first].flatMap(([ring, one]): Ring[] => {
    const [from = '', to = ''] = ring.split(' ');
    const other = first.get(`${to} ${from}`);
    return other !== undefined && from < to ? [{ folders: [from, to], imports: [one, other] }] : [];
  });
}
