import { describe, expect, it } from 'vitest';
import { csvLine } from './csv.ts';

describe('a CSV line', () => {
  it('quotes what needs it', () => {
    expect(csvLine(['plain', 'Lisbon, floor 3', 'say "hi"', 'two\nlines', null, -79, 0.5])).toBe(
      'plain,"Lisbon, floor 3","say ""hi""","two\nlines",,-79,0.5\r\n',
    );
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])('disarms the formula %o', (text) => {
    expect(csvLine([text])).toBe(`"'${text}"\r\n`);
  });
});
