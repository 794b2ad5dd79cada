const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * What was typed on top of what the form holds now. `basis` is what the form held when it was typed: what the reader left as it was takes
 * its present value, so that a change by somebody else meanwhile is not undone. What does not fit the form's own shape is left out.
 */
export function mergeTyped<Value>(now: Value, basis: unknown, typed: unknown): Value {
  if (!isRecord(now)) return kindOf(typed) === kindOf(now) && !isSame(typed, basis) ? (typed as Value) : now;
  if (!isRecord(typed)) return now;
  const before = isRecord(basis) ? basis : {};
  const merged = Object.entries(now).map(([key, value]) => [key, mergeTyped(value, before[key], typed[key])]);
  return Object.fromEntries(merged) as Value;
}
