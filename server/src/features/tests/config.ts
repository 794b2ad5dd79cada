import { configKey, parseInteger, parseText, secretKey } from '#kernel';

/** Bounds of what a tenant may have tested (docs/limits.md, "Synthetic tests"). */
export const testKeys = {
  maxTests: configKey({
    key: 'SVC_TESTS_MAX',
    parse: parseInteger(1, 100_000),
    fallback: 10_000,
    defaultText: '10000',
    doc: 'Synthetic tests that one tenant may have.',
  }),
  maxBytes: configKey({
    key: 'SVC_TESTS_MAX_BYTES',
    parse: parseInteger(1_048_576, 1_073_741_824),
    fallback: 67_108_864,
    defaultText: '67108864 (64 MiB)',
    doc: 'Size of all synthetic tests of one tenant as JSON; each process keeps them in memory.',
  }),
  maxRunsPerSecond: configKey({
    key: 'SVC_TESTS_RUNS_PER_SECOND',
    parse: parseInteger(1, 10_000),
    fallback: 500,
    defaultText: '500',
    doc: "Runs per second that one tenant's tests may add up to.",
  }),
  maxTargetRunsPerSecond: configKey({
    key: 'SVC_TESTS_TARGET_RUNS_PER_SECOND',
    parse: parseInteger(1, 10_000),
    fallback: 50,
    defaultText: '50',
    doc: 'Runs per second that the tests of one tenant may send to one host.',
  }),
  maxEvidenceBytes: configKey({
    key: 'SVC_TESTS_EVIDENCE_MAX_BYTES',
    parse: parseInteger(1_048_576, 1_099_511_627_776),
    fallback: 2_147_483_648,
    defaultText: '2147483648 (2 GiB)',
    doc: 'Evidence of runs (answers, screenshots) that one tenant keeps, at most 30 days; beyond it the oldest goes.',
  }),
};

/** Of `svc tests ...` and `svc mcp`, which speak to a control plane anywhere. */
export const testsClientKeys = {
  token: secretKey({
    key: 'SVC_TOKEN',
    parse: parseText(512),
    doc: 'API token (svc_pat_...) with which `svc tests ...` and `svc mcp` speak to a control plane. The server itself does not read it.',
  }),
};
