import { AgentError } from '../agent-error.ts';
import { ConfigError } from '../config.ts';

/** Bad usage and bad configuration, which no restart cures; 1 is for what fails outside of this program. */
export const EXIT_USAGE = 2;

export const exitCodeOf = (error: unknown): number =>
  error instanceof ConfigError || (error instanceof AgentError && error.code === 'usage') ? EXIT_USAGE : 1;
