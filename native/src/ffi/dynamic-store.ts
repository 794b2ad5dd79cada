import { type CfObject, type CoreFoundation, coreFoundation } from './core-foundation.ts';
import type { DarwinLibraries } from './darwin-libraries.ts';
import { NativeCallError, openLibrary } from './library.ts';

const MAX_KEYS = 64;

/** configd's store of what is configured now. Reading it needs no privilege and sends nothing. */
export interface DynamicStore {
  /** Keys that match a regular expression. */
  keys: (pattern: string) => string[];
  /** Hands the value's dictionary to `read` and releases it; undefined where there is no such key. */
  read: <T>(key: string, read: (foundation: CoreFoundation, value: CfObject) => T) => T | undefined;
}

type Copy = (store: CfObject, text: CfObject) => CfObject;
type Create = (...args: [allocator: null, name: CfObject, callback: null, context: null]) => CfObject;

function bindStore(path: string) {
  const { bind } = openLibrary(path);
  const takes = ['void *', 'void *'];
  return {
    create: bind<Create>('SCDynamicStoreCreate', { returns: 'void *', takes: [...takes, ...takes] }),
    copyKeys: bind<Copy>('SCDynamicStoreCopyKeyList', { returns: 'void *', takes }),
    copyValue: bind<Copy>('SCDynamicStoreCopyValue', { returns: 'void *', takes }),
  };
}

const bound = new Map<string, ReturnType<typeof bindStore>>();

/** Opens the store for the time of `use`. Throws a NativeCallError where the system has none. */
export function withDynamicStore<T>(libraries: DarwinLibraries, use: (store: DynamicStore) => T): T {
  const foundation = coreFoundation(libraries.coreFoundation);
  const api = bound.get(libraries.systemConfiguration) ?? bindStore(libraries.systemConfiguration);
  bound.set(libraries.systemConfiguration, api);
  /** Runs `copy` with a string, and `read` with what it gave. */
  const withCopy = <R>(copy: (text: CfObject) => CfObject, text: string, read: (copied: CfObject) => R): R => {
    const name = foundation.create(text);
    const copied = copy(name);
    try {
      return read(copied);
    } finally {
      foundation.release(copied);
      foundation.release(name);
    }
  };
  return withCopy(
    (name) => api.create(null, name, null, null),
    'svc-agent',
    (store) => {
      if (store === null || store === 0n) throw new NativeCallError('SCDynamicStoreCreate');
      return use({
        keys: (pattern) =>
          withCopy(
            (name) => api.copyKeys(store, name),
            pattern,
            (found) => foundation.texts(found).slice(0, MAX_KEYS),
          ),
        read: (key, read) =>
          withCopy(
            (name) => api.copyValue(store, name),
            key,
            (value) => (value === null || value === 0n ? undefined : read(foundation, value)),
          ),
      });
    },
  );
}
