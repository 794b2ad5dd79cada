import type { TestType } from '@svc/contracts/tests/test-types';

/** How one parameter of a test is typed. */
export type FieldKind =
  | 'text'
  /** Several lines of one text. */
  | 'area'
  /** One text a line. */
  | 'lines'
  /** `Name: value` a line. */
  | 'headers'
  /** `$.path = value` a line; a path alone: it is there. */
  | 'json'
  | 'number'
  /** A ratio that is typed as percent. */
  | 'percent'
  | 'flag'
  | 'choice';

export interface TestField {
  /** Where it stands in the parameters, by dots. */
  path: string;
  label: string;
  kind: FieldKind;
  hint?: string;
  unit?: string;
  placeholder?: string;
  options?: readonly { value: string; label: string }[];
  /** Between label and value of an assertion: "is under". */
  verb?: string;
}

export interface FieldGroup {
  title: string;
  fields: readonly TestField[];
}

const options = (...values: readonly string[]) => values.map((value) => ({ value, label: value }));

const FAMILY: TestField = {
  ...{ path: 'family', label: 'Address family', kind: 'choice' },
  options: [
    { value: '0', label: 'whichever answers first' },
    { value: '4', label: 'IPv4' },
    { value: '6', label: 'IPv6' },
  ],
};

const CA: TestField = {
  ...{ path: 'tls.ca_pem', label: 'Own certificate authority', kind: 'area', placeholder: '-----BEGIN CERTIFICATE-----' },
  hint: 'PEM certificates that are trusted beside the system’s.',
};
const ACCEPT_INVALID: TestField = {
  ...{ path: 'tls.accept_invalid', label: 'Accept an invalid certificate', kind: 'flag' },
  hint: 'What is wrong with it is reported and does not fail the run.',
};
const TLS: readonly TestField[] = [
  { path: 'tls.server_name', label: 'Server name (SNI)', kind: 'text', hint: 'Empty: the host of the target.' },
  CA,
  {
    ...{ path: 'tls.client_certificate', label: 'Client certificate', kind: 'text', placeholder: 'SHOP_CLIENT' },
    hint: 'Name of the secret that holds chain and key.',
  },
  ACCEPT_INVALID,
];

const under = (path: string, label: string): TestField => ({ path, label, kind: 'number', unit: 'ms', verb: 'is under' });
const TOTAL = under('assertions.total_ms', 'Total');
const CERTIFICATE: TestField = {
  ...{ path: 'assertions.certificate_days', label: 'Certificate', kind: 'number', unit: 'days', verb: 'is valid for' },
};
const CONTAINS: TestField = { path: 'assertions.expect_contains', label: 'Answer', kind: 'text', verb: 'contains' };
const MATCHES: TestField = { path: 'assertions.expect_matches', label: 'Answer', kind: 'text', verb: 'matches', hint: 'RE2' };
/** How a field refers to a secret. */
const SECRET_FORM = `\${secret:NAME}`;
const SECRETS_HINT = `A secret stands as ${SECRET_FORM} and is put in where the run sends it.`;
const ESCAPES_HINT = 'Takes \\r, \\n, \\t and \\xHH. ';

const HTTP_GROUPS: readonly FieldGroup[] = [
  {
    title: 'Request',
    fields: [
      {
        ...{ path: 'method', label: 'Method', kind: 'choice' },
        options: options('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
      },
      {
        ...{ path: 'headers', label: 'Headers', kind: 'headers', placeholder: `Authorization: Bearer ${SECRET_FORM}` },
        hint: `One per line. ${SECRETS_HINT}`,
      },
      { path: 'body', label: 'Body', kind: 'area', hint: SECRETS_HINT },
      { path: 'max_redirects', label: 'Redirects followed', kind: 'number', hint: '0: the redirect is the answer.' },
      FAMILY,
    ],
  },
  { title: 'TLS', fields: TLS },
];

/** The parameters of a type beside its assertions, folded away until they are needed. */
export const GROUPS: Readonly<Record<TestType, readonly FieldGroup[]>> = {
  http: HTTP_GROUPS,
  https: HTTP_GROUPS,
  dns: [
    {
      title: 'Query',
      fields: [
        {
          ...{ path: 'record', label: 'Record', kind: 'choice' },
          options: options(
            ...['A', 'AAAA', 'CNAME', 'MX', 'NS', 'PTR', 'SOA', 'SRV', 'TXT', 'CAA', 'HTTPS', 'SVCB', 'DS', 'DNSKEY', 'TLSA'],
          ),
        },
        {
          ...{ path: 'resolver', label: 'Resolver', kind: 'text', placeholder: '10.64.0.53' },
          hint: 'Empty: the runner’s own resolvers.',
        },
        { path: 'transport', label: 'Transport', kind: 'choice', options: options('udp', 'tcp', 'tls') },
        { path: 'recursion_desired', label: 'Recursion desired', kind: 'flag' },
        { path: 'dnssec', label: 'Ask for DNSSEC records', kind: 'flag', hint: 'Without them the AD flag means nothing.' },
      ],
    },
    { title: 'TLS', fields: TLS.slice(0, 2) },
  ],
  icmp: [
    {
      title: 'Packets',
      fields: [
        { path: 'count', label: 'Packets', kind: 'number' },
        { path: 'spacing_ms', label: 'Spacing', kind: 'number', unit: 'ms' },
        { path: 'bytes', label: 'Payload', kind: 'number', unit: 'B' },
        FAMILY,
      ],
    },
  ],
  tcp: [
    {
      title: 'Connection',
      fields: [
        {
          ...{ path: 'security', label: 'Security', kind: 'choice' },
          options: [
            { value: 'none', label: 'none' },
            { value: 'tls', label: 'TLS' },
            ...['smtp', 'imap', 'pop3', 'ftp', 'ldap', 'postgres'].map((value) => ({ value, label: `STARTTLS, ${value}` })),
          ],
        },
        { path: 'send', label: 'Send', kind: 'text', hint: `${ESCAPES_HINT}${SECRETS_HINT}` },
        FAMILY,
      ],
    },
    { title: 'TLS', fields: TLS },
  ],
  udp: [
    {
      title: 'Datagram',
      fields: [{ path: 'send', label: 'Send', kind: 'text', hint: `${ESCAPES_HINT}${SECRETS_HINT}` }, FAMILY],
    },
  ],
  browser: [
    {
      title: 'Browser',
      fields: [
        { path: 'viewport.width', label: 'Width', kind: 'number', unit: 'px' },
        { path: 'viewport.height', label: 'Height', kind: 'number', unit: 'px' },
        {
          ...{ path: 'screenshot', label: 'Screenshot', kind: 'choice' },
          options: [
            { value: 'always', label: 'of each run' },
            { value: 'on_failure', label: 'of failed runs' },
            { value: 'never', label: 'never' },
          ],
        },
      ],
    },
    { title: 'TLS', fields: [CA, ACCEPT_INVALID] },
  ],
};

const STATUS: TestField = {
  ...{ path: 'assertions.status', label: 'Status', kind: 'lines', verb: 'is', placeholder: '2xx' },
  hint: 'Such as 200, 2xx or 200-299; several on lines of their own.',
};

const HTTP_ASSERTIONS: readonly TestField[] = [
  STATUS,
  TOTAL,
  CERTIFICATE,
  { path: 'assertions.body_contains', label: 'Body', kind: 'lines', verb: 'contains', hint: 'Each line is looked for.' },
  { path: 'assertions.body_not_contains', label: 'Body', kind: 'lines', verb: 'is without', hint: 'None of the lines.' },
  { path: 'assertions.body_matches', label: 'Body', kind: 'text', verb: 'matches', hint: 'A regular expression, RE2.' },
  {
    path: 'assertions.json',
    label: 'JSON',
    kind: 'json',
    verb: 'has',
    placeholder: '$.status = "ok"',
    hint: 'One path per line.',
  },
  {
    ...{ path: 'assertions.headers', label: 'Header', kind: 'headers', verb: 'has', placeholder: 'content-type: json' },
    hint: 'Name: text that it contains, = text that it is, ~ RE2; the name alone: it is there.',
  },
  under('assertions.dns_ms', 'DNS'),
  under('assertions.connect_ms', 'Connect'),
  under('assertions.tls_ms', 'TLS'),
  under('assertions.first_byte_ms', 'First byte'),
  under('assertions.transfer_ms', 'Transfer'),
];

/** What a run is held against: those that stand there at first, then those that can be added. */
export const ASSERTIONS: Readonly<Record<TestType, readonly TestField[]>> = {
  http: HTTP_ASSERTIONS.filter((field) => field !== CERTIFICATE && field.path !== 'assertions.tls_ms'),
  https: HTTP_ASSERTIONS,
  dns: [
    {
      ...{ path: 'assertions.code', label: 'Code', kind: 'choice', verb: 'is' },
      options: options('NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'),
    },
    TOTAL,
    { path: 'assertions.answers_include', label: 'Answers', kind: 'lines', verb: 'include', hint: 'Each line is among them.' },
    {
      path: 'assertions.answers_equal',
      label: 'Answers',
      kind: 'lines',
      verb: 'are',
      hint: 'These and no others, in any order.',
    },
    { path: 'assertions.answers_match', label: 'Answers', kind: 'text', verb: 'match', hint: 'A regular expression, RE2.' },
    { path: 'assertions.ttl_min_seconds', label: 'TTL', kind: 'number', unit: 's', verb: 'is at least' },
    { path: 'assertions.ttl_max_seconds', label: 'TTL', kind: 'number', unit: 's', verb: 'is at most' },
    { path: 'assertions.authenticated', label: 'Authenticated (AD)', kind: 'flag', verb: 'is' },
  ],
  icmp: [
    { path: 'assertions.loss_max_ratio', label: 'Loss', kind: 'percent', unit: '%', verb: 'is at most' },
    under('assertions.rtt_avg_ms', 'Round trip'),
    under('assertions.jitter_ms', 'Jitter'),
  ],
  tcp: [TOTAL, CERTIFICATE, CONTAINS, MATCHES, under('assertions.connect_ms', 'Connect'), under('assertions.tls_ms', 'TLS')],
  udp: [{ path: 'assertions.expect_answer', label: 'An answer', kind: 'flag', verb: 'comes' }, TOTAL, CONTAINS, MATCHES],
  browser: [
    STATUS,
    TOTAL,
    CERTIFICATE,
    { path: 'assertions.failed_requests_max', label: 'Failed requests', kind: 'number', verb: 'are at most' },
    under('assertions.lcp_ms', 'Largest paint'),
    { path: 'assertions.cls', label: 'Layout shift', kind: 'number', verb: 'is under' },
  ],
};
