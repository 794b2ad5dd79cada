import { CHANGE_PROVIDERS } from '@svc/contracts/changes/kinds';
import { configKey, secretKey } from '#kernel';
import { parseWebhooks } from '#webhooks';

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_WINDOW_MS = 30 * 86_400_000;

/** `90m`, `24h` or `7d`, in milliseconds. */
function parseWindow(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const ms = Number(digits) * (UNITS[unit] ?? Number.NaN);
  if (!(ms >= 60_000 && ms <= MAX_WINDOW_MS)) throw new Error('must be a time such as 90m, 24h or 7d, from 1m to 30d');
  return ms;
}

export const changeKeys = {
  webhooks: secretKey({
    key: 'SVC_CHANGE_WEBHOOKS',
    parse: parseWebhooks(CHANGE_PROVIDERS),
    doc: 'Webhooks that may tell of changes: <id>:<tenant>:<provider>:<secret>, comma-separated; provider is generic, forge_a (GitHub) or forge_b (GitLab). More of them are created in the console.',
  }),
  windowMs: configKey({
    key: 'SVC_CHANGE_CORRELATION_WINDOW',
    parse: parseWindow,
    fallback: 24 * 3_600_000,
    defaultText: '24h',
    doc: 'How long before an incident a change may have caused it: a number with m, h or d, from 1m to 30d.',
  }),
};
