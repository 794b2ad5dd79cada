import { expect, test } from 'vitest';
import { EndpointRow } from '../endpoint/view.ts';
import { FAULT_KINDS, FAULT_KINDS_VERSION } from '../fault-kinds.ts';
import { decodeVerdict, encodeJudged } from './codec.ts';
import { faultFact, NO_NOTES } from './fault.ts';
import { MEASURES } from './measures.ts';

const Shown = EndpointRow.pick({ fault: true, flips: true, coverage: true, judged: true });

// Text, since JSON.stringify writes no 1e999, which JSON.parse reads as Infinity.
const ODD = ['0.5', '-1', '1e999', '-1e999', '1e300', '-1e300', '9007199254740993', 'null', 'true', '"7"', '[]', '{}'];

test('whatever a device says of its fault and its flips, a row with it can be shown', () => {
  for (const odd of ODD) {
    const texts = [
      `{"$flips":${odd}}`,
      `{"$fault":${odd}}`,
      `{"$coverage":${odd}}`,
      `{"$coverage":"1/123","$measuring":${odd}}`,
      ...[1, 2, 3, 4, 5, 6].flatMap((place) =>
        FAULT_KINDS.map((kind) => `{"$fault":[${[JSON.stringify(kind), ...Array(6).fill('null')].with(place, odd).join()}]}`),
      ),
      ...MEASURES.flatMap((measure) =>
        [0, 1, 2, 3, 4].map((at) => `{"${measure}":[${['1', '1', '1', '1', '"a"'].with(at, odd).join()}]}`),
      ),
    ];
    for (const text of texts) {
      const decoded = decodeVerdict(text);
      if (decoded === null) continue;
      const { measures: judged, ...notes } = decoded;
      expect(Shown.safeParse({ judged, ...notes }).success, text).toBe(true);
    }
  }
});

test('figures that cannot have been measured count as not given', () => {
  const read = (text: string) => decodeVerdict(text);
  expect(ODD.slice(0, 7).map((odd) => read(`{"$flips":${odd}}`)?.flips)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  expect(read('{"$flips":12}')?.flips).toBe(12);
  for (const odd of ['1e999', '-1e999', '1e300', '-1e300']) {
    expect(read(`{"$fault":["dns_slow",null,null,${odd},${odd}]}`)?.fault).toMatchObject({ value: null, usual: null });
  }
  expect(read('{"$fault":["dns_slow",null,null,812.5,-79]}')?.fault).toMatchObject({ value: 812.5, usual: -79 });
});

test('control, bidirectional and broken characters do not come through', () => {
  const decoded = decodeVerdict(
    JSON.stringify({
      $fault: ['dns_slow', 'crm\u0001\u202e.example\ud800', 'HTTP\u001b_503\n'],
      session_total_ms: [1, 1, 1, 1, 'crm\u0001\u2066.example'],
    }),
  );
  expect(decoded?.fault).toMatchObject({ target: 'crm.example', code: 'HTTP_503' });
  expect(decoded?.measures[0]?.target).toBe('crm.example');
  expect(decodeVerdict('{"$fault":["dns_slow","\\u0001"]}')?.fault?.target).toBeNull();
});

test('a fault says of which version of the list its kind is', () => {
  const fault = faultFact({ kind: 'dns_slow', target: 'crm.example' });
  const text = encodeJudged([], { fault, coverage: null, flips: 0 });
  expect(JSON.parse(text)).toEqual({ $fault: ['dns_slow', 'crm.example'], $kinds: FAULT_KINDS_VERSION });
  expect(decodeVerdict(text)?.fault).toEqual(fault);
  expect(JSON.parse(encodeJudged([]))).toEqual({});
});

test('what is still to come is read as it was sent, and its absence as of an agent that has it all or does not say', () => {
  const coverage = { measured: ['wifi', 'local'], needed: ['wifi', 'local', 'isp', 'network'] } as const;
  const begun = {
    measured: [...coverage.measured],
    needed: [...coverage.needed],
    measuring: ['isp' as const, 'network' as const],
  };
  expect(decodeVerdict(encodeJudged([], { ...NO_NOTES, coverage: begun }))?.coverage).toEqual(begun);
  expect(decodeVerdict('{"$coverage":"01/0123"}')?.coverage).toEqual(coverage);
  expect(decodeVerdict('{"$coverage":"01/0123","$measuring":"9"}')?.coverage).toEqual(coverage);
});
