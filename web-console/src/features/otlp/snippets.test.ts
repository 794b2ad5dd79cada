import { expect, test } from 'vitest';
import { SENDERS, widenWords, writeSnippet } from './snippets.ts';

const RECEIVER = { grpc: 'otel.example:4317', http: 'otel.example:4318', ownAuthority: true };
const TOKEN = 'svc_otlp_a+b/c=';

test.each(SENDERS)('%s gets address, token and authority', (sender) => {
  const { text } = writeSnippet(sender, RECEIVER, TOKEN);
  expect(text).toContain(sender === 'Collector' ? 'otel.example:4317' : 'https://otel.example:4318');
  expect(text).toContain(sender === 'Collector' ? `"Bearer ${TOKEN}"` : `"authorization=Bearer%20${encodeURIComponent(TOKEN)}"`);
  expect(text).toContain('svc-otlp-ca.pem');
  expect(writeSnippet(sender, { ...RECEIVER, ownAuthority: false }, TOKEN).text).not.toContain('svc-otlp-ca.pem');
});

test('a Collector is told to retry without end and to keep its requests small', () => {
  const { text, note } = writeSnippet('Collector', RECEIVER, TOKEN);
  expect(text).toContain('max_elapsed_time: 0');
  expect(text).toContain('send_batch_max_size: 2000');
  expect(note).toContain('five minutes');
});

test('speaks the transport that is there', () => {
  expect(writeSnippet('Java', { ...RECEIVER, http: null }, TOKEN).text).toContain('PROTOCOL=grpc');
  expect(writeSnippet('Collector', { ...RECEIVER, grpc: null }, TOKEN).text).toContain(
    'otlphttp/svc:\n    endpoint: https://otel.example:4318',
  );
});

test('a receiver on loopback says that only this machine can send, and what to set', () => {
  const words = widenWords({ grpc: '127.0.0.1:4317', http: '[::1]:4318' });
  expect(words).toContain('Only this machine can send');
  expect(words).toContain('SVC_OTLP_GRPC_ADDR=0.0.0.0:4317 and SVC_OTLP_HTTP_ADDR=0.0.0.0:4318');
  expect(widenWords({ grpc: 'monitor.example:4317', http: null })).toBeUndefined();
  expect(widenWords({ grpc: '127.example:4317', http: '10.0.0.5:4318' })).toBeUndefined();
});
