/** Kinds of synthetic test (docs/contract/tests.md). */
export const TEST_TYPES = ['http', 'https', 'dns', 'icmp', 'tcp', 'udp', 'browser'] as const;
export type TestType = (typeof TEST_TYPES)[number];

/** Those whose target is a URL; the only ones that the verdict about real users counts. */
export const WEB_TYPES: readonly TestType[] = ['http', 'https', 'browser'];

/** Seconds, where a test names none. */
export const DEFAULT_TIMEOUT_SECONDS: Readonly<Record<TestType, number>> = {
  http: 3,
  https: 3,
  dns: 3,
  icmp: 3,
  tcp: 3,
  udp: 3,
  browser: 30,
};
export const DEFAULT_INTERVAL_SECONDS = 60;
