import { describe, expect, it } from 'vitest';
import { answerQuery } from './dns-answer.ts';

const table = { 'app.lab.test': { v4: '203.0.113.10', v6: '2001:db8:3::2' } };
const query = (name: string, type: number): Buffer => {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([Buffer.from('123401000001000000000000', 'hex'), ...labels, Buffer.from([0, 0, type, 0, 1])]);
};

describe('an answer', () => {
  it.each([
    [1, 'cb00710a'],
    [28, '20010db8000300000000000000000002'],
  ])('to a question of type %i holds the address', (type, hex) => {
    const answer = answerQuery(query('App.lab.test', type), table);
    expect(answer?.subarray(0, 8).toString('hex')).toBe('1234818000010001');
    expect(answer?.toString('hex').endsWith(hex)).toBe(true);
  });

  it('is empty for another type, and NXDOMAIN for another name', () => {
    expect(answerQuery(query('app.lab.test', 16), table)?.subarray(2, 8).toString('hex')).toBe('818000010000');
    expect(answerQuery(query('other.test', 1), table)?.subarray(2, 8).toString('hex')).toBe('818300010000');
  });

  it('is none to what is no query', () => {
    const whole = query('app.lab.test', 1);
    for (let length = 0; length < whole.length; length += 1)
      expect(answerQuery(whole.subarray(0, length), table)).toBeUndefined();
  });
});
