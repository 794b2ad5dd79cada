import { inspect } from 'node:util';
import type { Fault } from './errors.ts';

/** A value that prints as `***` wherever it is logged, inspected or serialised; `reveal` is the one way to it. */
export class Secret<T = string> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return '***';
  }

  toJSON(): string {
    return '***';
  }

  [inspect.custom](): string {
    return '***';
  }
}

/** One `SVC_*` key: how its text becomes a value, what stands in for it when unset, and its sentence in docs/configuration.md. */
export interface ConfigKey<T> {
  key: `SVC_${string}`;
  /** What is wrong and what to do is the message of the error it throws; the value itself is never part of it for a secret. */
  parse: (text: string) => T;
  /** Used when the key is unset or empty. */
  fallback: T;
  /** The fallback in words for the documentation; absent means "unset". */
  defaultText?: string;
  doc: string;
  secret?: boolean;
}

export type ConfigFragment = Readonly<Record<string, ConfigKey<unknown>>>;

export type ConfigOf<F extends ConfigFragment> = { readonly [K in keyof F]: F[K] extends ConfigKey<infer T> ? T : never };

/** Helps to write one key: value type from the parser, fallback of the same type or undefined. */
export const configKey = <T, D extends T | undefined = undefined>(
  spec: Omit<ConfigKey<T>, 'fallback'> & { fallback?: D },
): ConfigKey<T | D> => ({ ...spec, fallback: spec.fallback as D });

/** The same for a value that must not be seen; it has no default of its own. */
export const secretKey = <T>(spec: Omit<ConfigKey<T>, 'fallback' | 'secret'>): ConfigKey<Secret<T> | undefined> => ({
  ...spec,
  parse: (text) => new Secret(spec.parse(text)),
  fallback: undefined,
  secret: true,
});

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads one fragment; faults are added to the list, and a faulty key has its fallback, so that every fault is found in one go. */
export function readFragment<F extends ConfigFragment>(fragment: F, env: Environment, faults: Fault[]): ConfigOf<F> {
  const values: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(fragment)) {
    const text = env[spec.key]?.trim();
    values[name] = spec.fallback;
    if (!text) continue;
    try {
      values[name] = spec.parse(text);
    } catch (error) {
      faults.push({ path: spec.key, message: error instanceof Error ? error.message : String(error) });
    }
  }
  return Object.freeze(values) as ConfigOf<F>;
}
