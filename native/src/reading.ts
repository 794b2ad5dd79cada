import type { UnavailableCode } from '@svc/contracts/verdict';

/** A value the operating system told, or why it did not. Never derived, never a placeholder. */
export type Reading<T> = { readonly value: T } | { readonly unavailable: UnavailableCode };

export const measured = <T>(value: T): Reading<T> => ({ value });
export const unavailable = (code: UnavailableCode): { readonly unavailable: UnavailableCode } => ({ unavailable: code });

/** A reading of a field that may be missing from what was parsed. */
export const readingOf = <T>(value: T | undefined, code: UnavailableCode): Reading<T> =>
  value === undefined ? unavailable(code) : measured(value);

/** The value, or undefined where there is none. */
export const readingValue = <T>(reading: Reading<T>): T | undefined => ('value' in reading ? reading.value : undefined);
