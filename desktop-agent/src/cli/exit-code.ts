import { AgentError } from '../agent-error.ts';
import { ConfigError } from '../config.ts';

/** Bad usage and bad configuration, which no restart cures; 1 is for what fails outside of this program. */
export const EXIT_USAGE = 2;
/** Of `status`, as service managers have them: it does not run; nobody here can say whether it does. */
export const EXIT_NOT_RUNNING = 3;
export const EXIT_UNKNOWN = 4;

export const exitCodeOf = (error: unknown): number =>
  error instanceof ConfigError || (error instanceof AgentError && error.code === 'usage') ? EXIT_USAGE : 1;
