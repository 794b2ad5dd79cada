import koffi from 'koffi';
import { openLibrary } from './library.ts';

type Id = bigint;
type Call<T> = (receiver: Id, selector: Id) => T;

/** Messages to Objective-C objects without arguments, one C function for each type of answer. Messages to nil answer zero. */
export interface ObjectiveC {
  getClass: (name: string) => Id;
  object: (receiver: Id, selector: string) => Id;
  integer: (receiver: Id, selector: string) => number;
  double: (receiver: Id, selector: string) => number;
  boolean: (receiver: Id, selector: string) => boolean;
  /** Text of an NSString, undefined for nil. */
  text: (string: Id) => string | undefined;
  /** What was made meanwhile is freed at its end. */
  withPool: <T>(use: () => T) => T;
}

const opened = new Map<string, ObjectiveC>();

/** Loads the runtime and the frameworks. Throws a NativeCallError that names what is missing. */
export function openObjectiveC(runtime: string, frameworks: readonly string[]): ObjectiveC {
  const key = [runtime, ...frameworks].join('\n');
  const objc = opened.get(key) ?? bindObjectiveC(runtime, frameworks);
  opened.set(key, objc);
  return objc;
}

function bindObjectiveC(runtime: string, frameworks: readonly string[]): ObjectiveC {
  const { bind } = openLibrary(runtime);
  for (const framework of frameworks) openLibrary(framework);
  const getClass = bind<(name: string) => Id | null>('objc_getClass', { returns: 'void *', takes: ['str'] });
  const register = bind<(name: string) => Id>('sel_registerName', { returns: 'void *', takes: ['str'] });
  const push = bind<() => Id>('objc_autoreleasePoolPush', { returns: 'void *', takes: [] });
  const pop = bind<(pool: Id) => void>('objc_autoreleasePoolPop', { returns: 'void', takes: ['void *'] });
  // objc_msgSend is no variadic function: each type of answer is a signature of its own.
  const send = <T>(returns: string): Call<T> => bind<Call<T>>('objc_msgSend', { returns, takes: ['void *', 'void *'] });
  const asObject = send<Id | null>('void *');
  const asInteger = send<number | bigint>('int64_t');
  const asDouble = send<number>('double');
  const asBoolean = send<boolean>('bool');
  const asText = send<string | null>('str');
  const selectors = new Map<string, Id>();
  const selector = (name: string): Id => {
    const found = selectors.get(name) ?? register(name);
    selectors.set(name, found);
    return found;
  };
  return {
    getClass: (name) => addressOf(getClass(name)),
    object: (receiver, name) => addressOf(asObject(receiver, selector(name))),
    integer: (receiver, name) => Number(asInteger(receiver, selector(name))),
    double: (receiver, name) => asDouble(receiver, selector(name)),
    boolean: (receiver, name) => asBoolean(receiver, selector(name)),
    text: (string) => (string === 0n ? undefined : (asText(string, selector('UTF8String')) ?? undefined)),
    withPool(use) {
      const pool = push();
      try {
        return use();
      } finally {
        pop(pool);
      }
    },
  };
}

const addressOf = (pointer: Id | null): Id => (pointer === null ? 0n : koffi.address(pointer));
