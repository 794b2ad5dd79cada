import { expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import { findOwnHosts } from './own-hosts.ts';

const STORES = {
  ...{
    SVC_DATABASE_URL: 'postgresql://svc:x@db.internal:5432/svc?sslmode=require',
    SVC_DATABASE_OWNER_URL: 'postgresql://own:x@[fd00::7]/svc?sslmode=require',
  },
  ...{ SVC_CLICKHOUSE_URL: 'https://svc:x@columns.internal:8443', SVC_KAFKA_BROKERS: 'Queue-1.internal:9092,10.1.1.1:9092' },
  ...{ SVC_ENVELOPE_KEY: Buffer.alloc(32, 1).toString('base64'), SVC_DATA_DIR: '/var/lib/svc' },
};
const find = (more: Record<string, string>) => findOwnHosts(loadConfig({ ...STORES, ...more }));

it('names stores, the collector of metrics, and the service itself', () => {
  const { forbiddenHosts, forbiddenNames } = find({
    ...{ SVC_OTLP_EXPORT_URL: 'https://collector.internal:4317', SVC_OTLP_EXPORT_TOKEN: 'token' },
    ...{ SVC_PUBLIC_URL: 'https://svc.example', SVC_AGENT_PUBLIC_ADDR: 'agents.example:8444' },
  });
  expect(forbiddenHosts).toEqual(
    expect.arrayContaining(['db.internal', 'fd00::7', 'columns.internal', 'queue-1.internal', '10.1.1.1', 'collector.internal']),
  );
  expect(forbiddenHosts).toEqual(expect.arrayContaining(['svc.example', 'agents.example']));
  expect(forbiddenNames).toEqual([]);
});

it('takes the addresses of a proxy before it for no own ones', () => {
  const { forbiddenHosts, forbiddenNames } = find({
    SVC_PUBLIC_URL: 'https://svc.example',
    SVC_TRUSTED_PROXIES: '203.0.113.0/24',
  });
  expect(forbiddenHosts).not.toContain('svc.example');
  expect(forbiddenNames).toEqual(['svc.example']);
});
