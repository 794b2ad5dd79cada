import { DARWIN } from './layout/darwin.ts';
import { openLibrary } from './library.ts';
import { allocate } from './memory.ts';

const MAX_TEXT = 1024;
const MAX_ITEMS = 64;

/** An object of CoreFoundation; zero and null are none. */
export type CfObject = bigint | null;

/** What reading property lists takes. "Get" gives what its container owns, "create" what the caller releases. */
export interface CoreFoundation {
  create: (text: string) => CfObject;
  /** Undefined for what is no string, or longer than a thousand bytes. */
  text: (object: CfObject) => string | undefined;
  /** The strings of an array, at most 64; empty for what is no array. */
  texts: (object: CfObject) => string[];
  /** A dictionary's value; null for none, and for what is no dictionary. */
  get: (dictionary: CfObject, key: string) => CfObject;
  release: (object: CfObject) => void;
}

const opened = new Map<string, CoreFoundation>();

/** Throws a NativeCallError where the library or a function is missing. */
export function coreFoundation(path: string): CoreFoundation {
  const known = opened.get(path);
  if (known) return known;
  const made = bindCoreFoundation(path);
  opened.set(path, made);
  return made;
}

function bindCoreFoundation(path: string): CoreFoundation {
  const { bind } = openLibrary(path);
  const typeNumber = (name: string): (() => number | bigint) =>
    bind<() => number | bigint>(name, { returns: 'uint64_t', takes: [] });
  const kinds = {
    string: typeNumber('CFStringGetTypeID'),
    array: typeNumber('CFArrayGetTypeID'),
    dictionary: typeNumber('CFDictionaryGetTypeID'),
  };
  const typeOf = bind<(object: CfObject) => number | bigint>('CFGetTypeID', { returns: 'uint64_t', takes: ['void *'] });
  const makeString = bind<(allocator: null, text: string, encoding: number) => CfObject>('CFStringCreateWithCString', {
    returns: 'void *',
    takes: ['void *', 'str', 'uint32_t'],
  });
  const readString = bind<(...args: [string: CfObject, out: Buffer, size: number, encoding: number]) => boolean>(
    'CFStringGetCString',
    { returns: 'bool', takes: ['void *', 'void *', 'int64_t', 'uint32_t'] },
  );
  const countOf = bind<(array: CfObject) => number | bigint>('CFArrayGetCount', { returns: 'int64_t', takes: ['void *'] });
  const itemAt = bind<(array: CfObject, index: number) => CfObject>('CFArrayGetValueAtIndex', {
    returns: 'void *',
    takes: ['void *', 'int64_t'],
  });
  const valueAt = bind<(dictionary: CfObject, key: CfObject) => CfObject>('CFDictionaryGetValue', {
    returns: 'void *',
    takes: ['void *', 'void *'],
  });
  const free = bind<(object: CfObject) => void>('CFRelease', { returns: 'void', takes: ['void *'] });
  const isKind = (object: CfObject, kind: keyof typeof kinds): boolean =>
    object !== null && object !== 0n && BigInt(typeOf(object)) === BigInt(kinds[kind]());
  const { kCFStringEncodingUTF8: utf8 } = DARWIN.constants;
  const create = (text: string): CfObject => makeString(null, text, utf8);
  const release = (object: CfObject): void => {
    // CFRelease ends the process at null.
    if (object !== null && object !== 0n) free(object);
  };
  const text = (object: CfObject): string | undefined => {
    if (!isKind(object, 'string')) return undefined;
    const out = allocate(MAX_TEXT);
    return readString(object, out, MAX_TEXT, utf8) ? out.toString('utf8').split('\0')[0] : undefined;
  };
  return {
    create,
    text,
    texts(object) {
      if (!isKind(object, 'array')) return [];
      const count = Math.min(MAX_ITEMS, Number(countOf(object)));
      return Array.from({ length: count }, (_, i) => text(itemAt(object, i)) ?? []).flat();
    },
    get(dictionary, key) {
      if (!isKind(dictionary, 'dictionary')) return null;
      const name = create(key);
      try {
        return valueAt(dictionary, name);
      } finally {
        release(name);
      }
    },
    release,
  };
}
