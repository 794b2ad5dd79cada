import { z } from 'zod';
import { BrowserParams } from './params/browser.ts';
import { HttpParams } from './params/http.ts';
import { DnsParams, IcmpParams, TcpParams, UdpParams } from './params/network.ts';
import { SECRETS_OF_TEST, secretsIn, type TlsParams } from './params/shared.ts';
import { checkTarget } from './target.ts';
import { DEFAULT_INTERVAL_SECONDS, DEFAULT_TIMEOUT_SECONDS, TEST_TYPES, type TestType } from './test-types.ts';

/** The one schema of a synthetic test: page, REST, files and proposals (docs/contract/tests.md). */

/** Trimmed, without control characters and those that only change how others are read. */
export const TestName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\p{Cf}]*$/u, 'No control characters, and none that cannot be seen.');

export const PARAMS_OF_TYPE = {
  http: HttpParams,
  https: HttpParams,
  dns: DnsParams,
  icmp: IcmpParams,
  tcp: TcpParams,
  udp: UdpParams,
  browser: BrowserParams,
} as const satisfies Record<TestType, z.ZodType>;

export type ParamsOf<Type extends TestType> = z.infer<(typeof PARAMS_OF_TYPE)[Type]>;

const LabelKey = z.string().regex(/^[a-z0-9][a-z0-9_.-]{0,62}$/, 'Lower-case letters, digits, dot, dash and underscore.');
export const Labels = z
  .record(LabelKey, z.string().max(128))
  .refine((labels) => Object.keys(labels).length <= 20, 'At most 20 labels.');

/** Which runners run it. `any`: one of those that can, always the same while it is there. */
export const RunnerChoice = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('any') }),
  z.strictObject({ mode: z.literal('all') }),
  /** All runners that have each of these labels. */
  z.strictObject({
    mode: z.literal('labels'),
    labels: Labels.refine((labels) => Object.keys(labels).length > 0, 'Name a label.'),
  }),
  z.strictObject({ mode: z.literal('named'), runners: z.array(z.string().min(1).max(64)).min(1).max(50) }),
]);
export type RunnerChoice = z.infer<typeof RunnerChoice>;

const common = {
  name: TestName,
  target: z.string().trim().min(1).max(2048),
  interval_seconds: z.int().min(1).max(86_400).default(DEFAULT_INTERVAL_SECONDS),
  /** A run never lasts longer; it may be longer than the interval, then runs are left out and told. */
  timeout_seconds: z.int().min(1).max(300).optional(),
  labels: Labels.default({}),
  runners: RunnerChoice.default({ mode: 'any' }),
  /** So many runners must fail before the test fails; those that are silent count as not run. */
  fail_when: z.int().min(1).max(50).default(1),
  /** Failing runs in a row of one runner before it counts as failing; as many good ones end it. Absent: the tenant's setting. */
  failing_after: z.int().min(1).max(20).optional(),
  /** Where it is measured for: joins private addresses of one site only. */
  site: z.string().trim().max(128).optional(),
  enabled: z.boolean().default(true),
};

const ofType = <Type extends TestType, Params extends z.ZodType>(type: Type, params: Params) =>
  z.strictObject({ ...common, type: z.literal(type), params });

const http = ofType('http', HttpParams.prefault({}));
const https = ofType('https', HttpParams.prefault({}));
const dns = ofType('dns', DnsParams.prefault({}));
const icmp = ofType('icmp', IcmpParams.prefault({}));
const tcp = ofType('tcp', TcpParams.prefault({}));
const udp = ofType('udp', UdpParams.prefault({}));
const browser = ofType('browser', BrowserParams.prefault({}));

/** All parameters of a test as JSON: a body and an authority of full length do not fit together. */
const PARAMS_LENGTH = 131_072;

/** What the fields cannot say one by one. */
function checkParams(params: object): string | undefined {
  const text = JSON.stringify(params);
  if (text.length > PARAMS_LENGTH) return `The parameters have at most ${PARAMS_LENGTH / 1024} KiB in all.`;
  const certificate = 'tls' in params && (params.tls as TlsParams).client_certificate !== undefined ? 1 : 0;
  if (secretsIn(text).length + certificate <= SECRETS_OF_TEST) return undefined;
  return `A test refers to at most ${SECRETS_OF_TEST} secrets.`;
}

const specs = [http, https, dns, icmp, tcp, udp, browser] as const;
const TYPES_SAID = `The type is one of ${specs.map(({ shape }) => shape.type.value).join(', ')}.`;

/** What is written to make one. `params` is validated by `type`; the target by both. */
export const TestSpec = z
  .discriminatedUnion('type', specs, { error: (issue) => (issue.code === 'invalid_union' ? TYPES_SAID : undefined) })
  .superRefine((spec, context) => {
    const fault = checkTarget(spec.type, spec.target);
    if (fault) context.addIssue({ code: 'custom', path: ['target'], message: fault });
    const faultOfParams = checkParams(spec.params);
    if (faultOfParams) context.addIssue({ code: 'custom', path: ['params'], message: faultOfParams });
  });
export type TestSpec = z.infer<typeof TestSpec>;
export type TestSpecInput = z.input<typeof TestSpec>;

/** Seconds that one run may take. */
export const timeoutOf = ({ type, timeout_seconds }: Pick<TestSpec, 'type' | 'timeout_seconds'>): number =>
  timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS[type];

/** What the server adds. */
const record = {
  id: z.uuid(),
  /** Rises by one with each change; a run names the one it was made by. */
  version: z.int(),
  created_by: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

export const Test = z.discriminatedUnion('type', [
  http.extend(record),
  https.extend(record),
  dns.extend(record),
  icmp.extend(record),
  tcp.extend(record),
  udp.extend(record),
  browser.extend(record),
]);
export type Test = z.infer<typeof Test>;

export const isTestType = (text: string): text is TestType => (TEST_TYPES as readonly string[]).includes(text);
