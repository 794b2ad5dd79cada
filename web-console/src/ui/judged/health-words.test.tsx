import { faultFact } from '@svc/contracts/judged/fault';
import type { Layer } from '@svc/contracts/verdict';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { device } from '../../testing/examples.ts';
import { factsOfRow } from './facts.ts';
import { faultEvidence } from './fault-evidence.ts';
import { rowVerdictWord } from './health-words.ts';
import { RowVerdict } from './row-verdict.tsx';

const partly = (measured: Layer[]) => device('A', { coverage: { measured, needed: ['local', 'isp', 'network'] } });
const lossy = faultFact({ kind: 'path_loss', value: 0.2, hop: 4, hops: 9 });

describe('the verdict of a row', () => {
  it('says healthy only where all was measured and nothing is off', () => {
    const show = (row: ReturnType<typeof device>) => renderToStaticMarkup(<RowVerdict row={row} />);
    expect(rowVerdictWord(partly(['local', 'isp', 'network']))).toBe('Healthy');
    expect(show(partly(['local', 'isp', 'network']))).toContain('v-ok');
    expect(rowVerdictWord(partly(['local', 'isp']))).toBe('Nothing slow, 2 of 3 layers measured');
    expect(show(partly(['local', 'isp']))).not.toContain('v-ok');
    const off = { ...partly(['local', 'isp', 'network']), fault: lossy };
    expect(rowVerdictWord(off)).toBe('Something is off');
    expect(show(off)).not.toContain('v-ok');
  });

  it('takes an agent that does not say what it measured at its word, and leaves states alone', () => {
    expect(rowVerdictWord(device('A'))).toBe('Healthy');
    expect(rowVerdictWord(device('A', { verdict: 'no_contact' }))).toBe('No contact');
    expect(rowVerdictWord(device('A', { verdict: 'network', fault: lossy }))).toBe('Slow: Beyond ISP');
  });
});

describe('what speaks for a fault', () => {
  const told = (row: ReturnType<typeof device>): Record<string, string> => {
    const facts = factsOfRow(row);
    if (!facts) throw new Error('no verdict');
    return Object.fromEntries(faultEvidence(facts).map(({ label, words }) => [label, words.replace(/\s/g, ' ')]));
  };

  it('names the hop, the figure and who can act', () => {
    expect(told(device('A', { fault: lossy, flips: 4 }))).toEqual({
      ...{ Fault: 'Loss on the path', From: 'hop 4 of 9', Measured: '20%' },
      ...{ 'Who can act': 'This is for the provider.', Changed: '4 times in the last hour' },
    });
  });

  it('names the code of a certificate and the phases of a slow name', () => {
    const refused = faultFact({ kind: 'certificate', target: 'crm.example', code: 'CERT_HAS_EXPIRED' });
    expect(told(device('A', { verdict: 'network', fault: refused }))).toMatchObject({ Code: 'CERT_HAS_EXPIRED' });
    const phase = { limit: 500, samples: 3, failed: 3, target: 'crm.example' };
    const slow = device('A', {
      verdict: 'network',
      fault: faultFact({ kind: 'dns_slow', target: 'crm.example', value: 3000, usual: 20 }),
      judged: [
        { ...phase, measure: 'session_dns_ms', value: 3000 },
        { ...phase, measure: 'session_connect_ms', value: 12 },
      ],
    });
    expect(told(slow)).toMatchObject({ Measured: '3.0 s', 'Usual on this network': '20 ms', Phases: 'DNS 3.0 s, connect 12 ms' });
  });

  it('says nothing where nothing is wrong', () => {
    expect(told(device('A'))).toEqual({});
  });
});
