import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { curlRecipe } from './recipes.ts';

it('says what to do where the certificate is one of the server\u2019s own authority', () => {
  expect(curlRecipe('https://svc.example/ingest/changes/generic/a', 's')).toMatch(/^# .*--cacert ca\.crt: tls\/ca\.crt/m);
});

it('signs as the server verifies, also with a quote in the secret', () => {
  const secret = `it's a secret of "enough" characters`;
  const script = curlRecipe('https://svc.example/ingest/changes/generic/a', secret).replace(
    /^curl.*$/m,
    `printf '%s\\n%s' "$SIGNATURE" "$BODY"`,
  );
  const [signature, body = ''] = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\n');
  expect(signature).toBe(createHmac('sha256', secret).update(body).digest('hex'));
  expect(JSON.parse(body)).toMatchObject({ title: 'A first change', kind: 'config' });
});
