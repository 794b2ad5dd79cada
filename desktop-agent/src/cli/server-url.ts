import { AgentError } from '../agent-error.ts';

/** The control plane's address as given on the command line; https only. Throws `usage`. */
export function readServerUrl(given: unknown): string {
  if (typeof given !== 'string') throw new AgentError('usage', 'Missing --server URL, such as https://monitor.example:8443.');
  if (!URL.canParse(given) || new URL(given).protocol !== 'https:')
    throw new AgentError('usage', `"${given}" is no https address. The control plane speaks nothing else.`);
  return new URL(given).origin;
}
