import { parseText, secretKey } from '#kernel';

function parseToken(text: string): string {
  if (text.length < 32) throw new Error('must have at least 32 characters; make one with: openssl rand -hex 32');
  return parseText(512)(text);
}

export const selfMetricsKeys = {
  token: secretKey({
    key: 'SVC_METRICS_TOKEN',
    parse: parseToken,
    defaultText: 'unset: nobody is answered',
    doc: 'Bearer token, at least 32 characters, with which /metrics is scraped. It covers all tenants: no API token opens it.',
  }),
};
