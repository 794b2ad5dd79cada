import { z } from 'zod';
import { Expression, Milliseconds, TlsParams, WithSecrets } from './shared.ts';

/** What a step acts on: a CSS selector, or what a person would name. */
const Locator = z.union([
  z.strictObject({ css: z.string().min(1).max(512) }),
  z.strictObject({ text: z.string().min(1).max(256) }),
  z.strictObject({ label: z.string().min(1).max(256) }),
  z.strictObject({ role: z.string().min(1).max(64), name: z.string().min(1).max(256).optional() }),
]);
export type Locator = z.infer<typeof Locator>;

const step = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject({ ...shape, timeout_ms: Milliseconds.optional() });

/** Declarative: nothing of a user runs outside of the page. */
export const BrowserStep = z.discriminatedUnion('do', [
  step({ do: z.literal('open'), url: z.string().min(1).max(2048) }),
  step({ do: z.literal('click'), on: Locator }),
  step({ do: z.literal('fill'), on: Locator, value: WithSecrets(4096) }),
  step({ do: z.literal('press'), key: z.string().min(1).max(64), on: Locator.optional() }),
  step({ do: z.literal('expect_text'), text: z.string().min(1).max(1024), on: Locator.optional() }),
  step({ do: z.literal('expect_url'), matches: Expression }),
  step({ do: z.literal('wait'), for: Locator }),
  step({ do: z.literal('pause'), ms: z.int().min(1).max(10_000) }),
]);
export type BrowserStep = z.infer<typeof BrowserStep>;

/** The target is the URL of the first page. */
export const BrowserParams = z.strictObject({
  steps: z.array(BrowserStep).max(30).default([]),
  viewport: z
    .strictObject({ width: z.int().min(320).max(2560), height: z.int().min(240).max(2000) })
    .default({ width: 1280, height: 800 }),
  screenshot: z.enum(['always', 'on_failure', 'never']).default('always'),
  tls: TlsParams.pick({ ca_pem: true, accept_invalid: true }).prefault({}),
  assertions: z
    .strictObject({
      /** Of the first page; any of them. */
      status: z
        .array(z.string().regex(/^[1-5](\d\d|xx)$/))
        .min(1)
        .max(20)
        .default(['2xx']),
      failed_requests_max: z.int().min(0).max(1000).optional(),
      lcp_ms: Milliseconds.optional(),
      cls: z.number().min(0).max(100).optional(),
      total_ms: Milliseconds.optional(),
      certificate_days: z.int().min(0).max(3650).optional(),
    })
    .prefault({}),
});
export type BrowserParams = z.infer<typeof BrowserParams>;
