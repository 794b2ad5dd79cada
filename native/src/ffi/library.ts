import type { UnavailableCode } from '@svc/contracts/verdict';
import koffi, { type KoffiFunc } from 'koffi';
import { SystemCallError } from './libc.ts';
import { allocate } from './memory.ts';

/** A library or function that this system lacks, or a call that it refused; `status` is the system's own number. */
export class NativeCallError extends Error {
  override readonly name = 'NativeCallError';
  readonly status: number | undefined;

  constructor(what: string, status?: number) {
    super(status === undefined ? what : `${what}: error ${status}`);
    this.status = status;
  }
}

/** A C function's return and parameter types, in koffi's words. */
export interface Signature {
  readonly returns: string;
  readonly takes: readonly string[];
  readonly convention?: '__stdcall';
}

export interface Library {
  /** Binds one function. Throws a NativeCallError where the library has none of that name. */
  bind: <F extends (...args: never[]) => unknown>(name: string, signature: Signature) => KoffiFunc<F>;
}

/** Loads a shared library. Throws a NativeCallError that names it where the system has none. */
export function openLibrary(path: string): Library {
  const handle = attempt(`${path} is missing or does not load`, () => koffi.load(path));
  return {
    bind: <F extends (...args: never[]) => unknown>(name: string, { returns, takes, convention }: Signature) =>
      attempt(`${path} has no ${name}`, () =>
        convention ? handle.func(convention, name, returns, [...takes]) : handle.func(name, returns, [...takes]),
      ) as unknown as KoffiFunc<F>,
  };
}

function attempt<T>(failure: string, load: () => T): T {
  try {
    return load();
  } catch {
    throw new NativeCallError(failure);
  }
}

/** Binds on first use, once; a failure is tried again at the next use. */
export function lazily<T>(bind: () => T): () => T {
  let bound: T | undefined;
  return () => {
    bound ??= bind();
    return bound;
  };
}

/** Copies what a system's pointer points at. The caller knows that so many bytes are there. */
export const copyBytes = (pointer: bigint, from: number, length: number): Buffer => {
  const bytes = koffi.decode(pointer, from, 'uint8_t', length) as Uint8Array;
  return Buffer.from(bytes);
};

/** Room for a pointer that a call gives back. */
export function pointerSlot(): { readonly slot: Buffer; readonly pointer: () => bigint } {
  const slot = allocate(8);
  return { slot, pointer: () => slot.readBigUInt64LE(0) };
}

/** ERROR_ACCESS_DENIED of winerror.h. */
const ACCESS_DENIED = 5;

/** Why a reading is missing, from what its calls threw. */
export function failureCode(error: unknown): UnavailableCode {
  if (error instanceof NativeCallError && error.status === ACCESS_DENIED) return 'permission';
  if (error instanceof SystemCallError && (error.code === 'EPERM' || error.code === 'EACCES')) return 'permission';
  return 'not_supported';
}
