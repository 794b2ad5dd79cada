const NS_PER_MS = 1_000_000n;

/** RFC 3339 with nine digits of a second, in UTC. */
export function formatNs(ns: bigint): string {
  const seconds = new Date(Number(ns / NS_PER_MS)).toISOString().slice(0, 19);
  return `${seconds}.${String(ns % 1_000_000_000n).padStart(9, '0')}Z`;
}

/** Unix nanoseconds of an RFC 3339 time with any number of digits; what is finer is cut. */
export function parseNs(text: string): bigint {
  const digits = /\.(\d+)/.exec(text)?.[1] ?? '';
  const whole = BigInt(Date.parse(text.replace(/\.\d+/, ''))) * NS_PER_MS;
  return whole + BigInt(digits.slice(0, 9).padEnd(9, '0'));
}
