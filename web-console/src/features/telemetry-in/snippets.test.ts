import { expect, test } from 'vitest';
import { SENDERS, writeSnippet } from './snippets.ts';

const RECEIVER = { grpc: 'otel.example:4317', http: 'otel.example:4318', ownAuthority: true };
const TOKEN = 'svc_otlp_a+b/c=';

test.each(SENDERS)('%s gets address, token and authority', (sender) => {
  const { text } = writeSnippet(sender, RECEIVER, TOKEN);
  expect(text).toContain(sender === 'Collector' ? 'otel.example:4317' : 'https://otel.example:4318');
  expect(text).toContain(sender === 'Collector' ? `"Bearer ${TOKEN}"` : `"authorization=Bearer%20${encodeURIComponent(TOKEN)}"`);
  expect(text).toContain('svc-otlp-ca.pem');
  expect(writeSnippet(sender, { ...RECEIVER, ownAuthority: false }, TOKEN).text).not.toContain('svc-otlp-ca.pem');
});

test('speaks the transport that is there', () => {
  expect(writeSnippet('Java', { ...RECEIVER, http: null }, TOKEN).text).toContain('PROTOCOL=grpc');
  expect(writeSnippet('Collector', { ...RECEIVER, grpc: null }, TOKEN).text).toContain(
    'otlphttp/svc:\n    endpoint: https://otel.example:4318',
  );
});
