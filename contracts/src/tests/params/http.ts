import { z } from 'zod';
import { AddressFamily, Expression, HeaderName, Milliseconds, TlsParams, WithSecrets } from './shared.ts';

/** A status as 200, a class as 2xx, or a range as 200-399. */
export const StatusRange = z.string().regex(/^[1-5](\d\d|xx)(-[1-5]\d\d)?$/, 'A status such as 200, 2xx or 200-299.');

export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

const HeaderAssertion = z.strictObject({
  name: HeaderName,
  /** Equal, contained, or matched; none of them: the header is there. */
  equals: z.string().max(1024).optional(),
  contains: z.string().max(1024).optional(),
  matches: Expression.optional(),
});

const JsonAssertion = z.strictObject({
  /** A JSON path without filters and scripts: `$.items[0].name`, `$..id` is not taken. */
  path: z.string().min(1).max(256).regex(/^\$/, 'A path begins with $.'),
  /** Compared as JSON; absent: the path is there. */
  equals: z.union([z.string().max(1024), z.number(), z.boolean(), z.null()]).optional(),
  matches: Expression.optional(),
});

export const HttpAssertions = z.strictObject({
  /** Any of them; default 2xx (after redirects). */
  status: z.array(StatusRange).min(1).max(20).default(['2xx']),
  body_contains: z.array(z.string().min(1).max(1024)).max(10).default([]),
  body_not_contains: z.array(z.string().min(1).max(1024)).max(10).default([]),
  body_matches: Expression.optional(),
  json: z.array(JsonAssertion).max(10).default([]),
  headers: z.array(HeaderAssertion).max(10).default([]),
  /** Bounds by phase and in all. */
  dns_ms: Milliseconds.optional(),
  connect_ms: Milliseconds.optional(),
  tls_ms: Milliseconds.optional(),
  first_byte_ms: Milliseconds.optional(),
  transfer_ms: Milliseconds.optional(),
  total_ms: Milliseconds.optional(),
  /** The certificate is valid for so many days or more. */
  certificate_days: z.int().min(0).max(3650).optional(),
});

/** Of `http` and `https`. */
export const HttpParams = z.strictObject({
  method: z.enum(HTTP_METHODS).default('GET'),
  headers: z
    .array(z.strictObject({ name: HeaderName, value: WithSecrets(4096) }))
    .max(50)
    .default([]),
  body: WithSecrets(65_536).optional(),
  /** 0: a redirect is the answer. */
  max_redirects: z.int().min(0).max(20).default(5),
  family: AddressFamily.default(0),
  tls: TlsParams.prefault({}),
  assertions: HttpAssertions.prefault({}),
});
export type HttpParams = z.infer<typeof HttpParams>;
