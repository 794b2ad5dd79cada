import type { ChangeProvider } from '@svc/contracts/changes/kinds';

export const PROVIDER_NAMES: Readonly<Record<ChangeProvider, string>> = {
  forge_a: 'GitHub',
  forge_b: 'GitLab',
  generic: 'A program of your own',
};

/** What to do at the other side, step by step. */
export const STEPS: Readonly<Record<ChangeProvider, readonly string[]>> = {
  forge_a: [
    'In the repository or organisation: Settings, Webhooks, Add webhook.',
    'Payload URL: the address above. Content type: either one. Secret: the secret above.',
    'Let me select individual events: Pushes, Deployments, Deployment statuses.',
  ],
  forge_b: [
    'In the project or group: Settings, Webhooks, Add new webhook.',
    'URL: the address above. Secret token: the secret above.',
    'Trigger: Push events, Tag push events, Deployment events.',
  ],
  generic: ['Sign each body with the secret, as the commands do.'],
};

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Commands that sign a change and send it: they run in any shell with openssl and curl. */
export const curlRecipe = (address: string, secret: string): string =>
  [
    `ADDRESS=${quoted(address)}`,
    `SECRET=${quoted(secret)}`,
    `BODY='{"title":"A first change","kind":"config","target":"shop.example","occurred_at":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'"}'`,
    `SIGNATURE=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/^.* //')`,
    '# If curl does not trust the certificate, add --cacert ca.crt: tls/ca.crt in the data folder of the server.',
    `curl -fsS "$ADDRESS" -H 'content-type: application/json' -H "x-svc-signature: sha256=$SIGNATURE" --data-binary "$BODY"`,
  ].join('\n');
