import { z } from 'zod';
import { AddressFamily, Expression, HostName, Milliseconds, TlsParams, WithSecrets } from './shared.ts';

export const DNS_RECORDS = [
  'A',
  'AAAA',
  'CNAME',
  'MX',
  'NS',
  'PTR',
  'SOA',
  'SRV',
  'TXT',
  'CAA',
  'HTTPS',
  'SVCB',
  'DS',
  'DNSKEY',
  'TLSA',
] as const;
export const DNS_CODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'] as const;

/** The target is the name that is asked for. */
export const DnsParams = z.strictObject({
  record: z.enum(DNS_RECORDS).default('A'),
  /** Host or address, with a port where it is not the transport's usual one; absent: the runner's own resolvers. */
  resolver: HostName.optional(),
  transport: z.enum(['udp', 'tcp', 'tls']).default('udp'),
  tls: TlsParams.prefault({}),
  recursion_desired: z.boolean().default(true),
  /** Asks for DNSSEC records, so that the AD flag means something. */
  dnssec: z.boolean().default(false),
  assertions: z
    .strictObject({
      code: z.enum(DNS_CODES).default('NOERROR'),
      /** Each is among the answers, in their presentation form. */
      answers_include: z.array(z.string().min(1).max(512)).max(20).default([]),
      /** The answers are these and no others, in any order. */
      answers_equal: z.array(z.string().min(1).max(512)).max(20).optional(),
      answers_match: Expression.optional(),
      ttl_min_seconds: z.int().min(0).optional(),
      ttl_max_seconds: z.int().min(0).optional(),
      authenticated: z.boolean().optional(),
      total_ms: Milliseconds.optional(),
    })
    .prefault({}),
});
export type DnsParams = z.infer<typeof DnsParams>;

export const IcmpParams = z.strictObject({
  count: z.int().min(1).max(20).default(4),
  spacing_ms: z.int().min(10).max(1000).default(200),
  bytes: z.int().min(8).max(1400).default(56),
  family: AddressFamily.default(0),
  assertions: z
    .strictObject({
      /** 0 to 1. */
      loss_max_ratio: z.number().min(0).max(1).default(0.5),
      rtt_avg_ms: Milliseconds.optional(),
      jitter_ms: Milliseconds.optional(),
    })
    .prefault({}),
});
export type IcmpParams = z.infer<typeof IcmpParams>;

export const STARTTLS = ['smtp', 'imap', 'pop3', 'ftp', 'ldap', 'postgres'] as const;

/** The target is `host:port`. */
export const TcpParams = z.strictObject({
  family: AddressFamily.default(0),
  /** `none`: no handshake. A protocol's name: STARTTLS as it has it. */
  security: z.enum(['none', 'tls', ...STARTTLS]).default('none'),
  tls: TlsParams.prefault({}),
  /** Sent once the connection stands, with \r, \n, \t, \\ and \xHH. */
  send: WithSecrets(4096).optional(),
  assertions: z
    .strictObject({
      expect_contains: z.string().min(1).max(1024).optional(),
      expect_matches: Expression.optional(),
      connect_ms: Milliseconds.optional(),
      tls_ms: Milliseconds.optional(),
      total_ms: Milliseconds.optional(),
      certificate_days: z.int().min(0).max(3650).optional(),
    })
    .prefault({}),
});
export type TcpParams = z.infer<typeof TcpParams>;

/** The target is `host:port`. Without anything to expect, silence passes and a port that is unreachable fails. */
export const UdpParams = z.strictObject({
  family: AddressFamily.default(0),
  /** With \r, \n, \t, \\ and \xHH. */
  send: WithSecrets(4096).default(''),
  assertions: z
    .strictObject({
      /** Something comes back, whatever it is. */
      expect_answer: z.boolean().default(false),
      expect_contains: z.string().min(1).max(1024).optional(),
      expect_matches: Expression.optional(),
      total_ms: Milliseconds.optional(),
    })
    .prefault({}),
});
export type UdpParams = z.infer<typeof UdpParams>;
