/** A whole number within bounds, or the default. Throws a RangeError that names the field. */
export function boundedWhole(
  name: string,
  value: number | undefined,
  bounds: { min: number; max: number; default: number },
): number {
  if (value === undefined) return bounds.default;
  if (!Number.isInteger(value) || value < bounds.min || value > bounds.max) {
    throw new RangeError(`${name} must be a whole number from ${bounds.min} to ${bounds.max}, not ${value}`);
  }
  return value;
}
