import { describe, expect, it } from 'vitest';
import { readOptions, UsageError } from './options.ts';

const read = (...argv: string[]) => readOptions(argv, () => 'svc_enr_from-file\n');
const good = ['--server', 'https://localhost:8443', '--token', 'svc_enr_x'];

describe('the command line', () => {
  it('has the defaults of the demo', () => {
    expect(read(...good)).toEqual({
      server: 'https://localhost:8443',
      token: 'svc_enr_x',
      devices: 200,
      hours: 24,
      live: false,
      seed: 1,
      rate: 1,
      state: undefined,
    });
  });

  it('takes the token from a file', () => {
    expect(read('--server', 'https://a', '--token-file', '-')?.token).toBe('svc_enr_from-file');
  });

  it('tells every fault at once', () => {
    const faulty = () => read('--server', 'http://a', '--devices', '0', '--hours', 'x', '--rate', '100', '--seed', '1.5');
    expect(faulty).toThrow(UsageError);
    expect(faulty).toThrow(/--devices 0[\s\S]*--hours x[\s\S]*--seed 1.5[\s\S]*--rate 100/);
    expect(faulty).toThrow(/https:\/\/host:port[\s\S]*--token or --token-file/);
    expect(() => read('--nonsense')).toThrow(UsageError);
  });

  it('answers --help with nothing to run', () => {
    expect(read('--help')).toBeUndefined();
  });
});
