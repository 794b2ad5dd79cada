/** One spike blames nobody: this many newest readings are looked at together. */
export const READINGS_JUDGED = 5;

const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

/**
 * The median of what is bad where it is high; of an even count the lower of the middle two. It breaks a limit exactly where more than
 * half of the readings do: three of five, three of four, two of three, both of two. Undefined of none.
 */
export const medianLow = (values: readonly number[]): number | undefined => sorted(values)[Math.floor((values.length - 1) / 2)];

/** The same of what is bad where it is low. */
export const medianHigh = (values: readonly number[]): number | undefined => sorted(values)[Math.floor(values.length / 2)];
