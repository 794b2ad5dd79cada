import { expect, it } from 'vitest';
import { Secret } from '#kernel';
import { findExportFaults, type OtlpExportConfig } from './config.ts';

const base: OtlpExportConfig = {
  url: 'https://collector.example:4317',
  protocol: 'grpc',
  token: new Secret('t'),
  caFile: undefined,
  intervalSeconds: 60,
  insecure: false,
};
const keys = (over: Partial<OtlpExportConfig>, tag: 'release' | 'dev' = 'release') =>
  findExportFaults({ ...base, ...over }, tag).map(({ path }) => path.replace('SVC_OTLP_EXPORT_', ''));

it.each<[string, Partial<OtlpExportConfig>, string[]]>([
  ['a collector with a token', {}, []],
  ['nothing at all', { url: undefined, token: undefined }, []],
  ['no token', { token: undefined }, ['TOKEN']],
  ['a token without a collector', { url: undefined }, ['URL']],
  ['no TLS', { url: 'http://collector.example:4317' }, ['URL']],
  ['a password in the URL', { url: 'https://me:secret@collector.example' }, ['URL']],
  ['a path for grpc', { url: 'https://collector.example/v1/metrics' }, ['URL']],
  ['a path for HTTP', { url: 'https://collector.example/otlp/v1/metrics', protocol: 'http/protobuf' }, []],
  ['the dev option in a release', { insecure: true }, ['INSECURE']],
])('judges %s', (_what, over, faults) => {
  expect(keys(over)).toEqual(faults);
});

it('lets a dev build go without TLS where it says so', () => {
  expect(keys({ url: 'http://127.0.0.1:4317', insecure: true }, 'dev')).toEqual([]);
  expect(keys({ url: 'http://127.0.0.1:4317' }, 'dev')).toEqual(['URL']);
});
