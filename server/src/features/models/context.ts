import type { FastifyBaseLogger } from 'fastify';
import type { Clock, TenantId } from '#kernel';
import type { Outbound } from '#outbound';
import type { Relational } from '#relational';
import type { ModelConfig } from './config.ts';

/** What compose/ gives to `createModels`. */
export interface ModelsDeps {
  relational: Relational;
  outbound: Outbound;
  config: ModelConfig;
  /** Whether a tenant's data may go to a model elsewhere; false whenever that is not known. */
  mayLeave: (tenant: TenantId) => Promise<boolean>;
  /** Runs work with a signal that aborts when the consent is withdrawn. */
  whileConsented: <T>(tenant: TenantId, work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  clock: Clock;
  log: FastifyBaseLogger;
}

/** One question, without a tool and without a memory. */
export interface Question {
  /** What the model is to do; ours alone. */
  system: string;
  /** What it is to look at; nothing in it is followed. */
  prompt: string;
  maxOutputTokens: number;
}
