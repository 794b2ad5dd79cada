import { describe, expect, it } from 'vitest';
import { CAUSES, LAYERS } from '../verdict.ts';
import { decodeJudged, encodeJudged } from './codec.ts';
import { breaksLimit, isEvidence, type JudgedMeasure, layerOf, MEASURES } from './measures.ts';
import { faultLayer, readVerdict } from './read-verdict.ts';
import { composeSentence, measureWords, sentenceText, utcWords } from './sentence.ts';
import { makeVerdicts } from './test-verdicts.ts';

const verdicts = makeVerdicts(1000);
const sentenceOf = (verdict: (typeof verdicts)[number]): string => sentenceText(composeSentence(readVerdict(verdict)), utcWords);
const made = (part: Partial<JudgedMeasure> & Pick<JudgedMeasure, 'measure' | 'value' | 'limit'>): JudgedMeasure => ({
  ...{ samples: null, failed: null, target: null },
  ...part,
});

describe('one verdict, over generated devices', () => {
  it('comes up in every cause, by every measure', () => {
    expect(new Set(verdicts.map(({ cause }) => cause))).toEqual(new Set(CAUSES));
    const decided = verdicts.flatMap((verdict) => readVerdict(verdict).decided?.measure ?? []);
    expect(new Set(decided)).toEqual(new Set(MEASURES.filter((measure) => !isEvidence(measure))));
  });

  it('names a measure of the layer at fault that broke its limit, with its own counts', () => {
    for (const verdict of verdicts) {
      const { decided } = readVerdict(verdict);
      expect(decided === null).toBe(verdict.cause === 'none');
      if (decided === null) continue;
      expect(breaksLimit(decided)).toBe(true);
      expect(layerOf(decided.measure)).toBe(faultLayer(verdict.cause));
      expect(verdict.measures).toContain(decided);
      if (decided.measure !== 'sessions_failed' && decided.measure !== 'gateway_answers')
        expect(sentenceOf(verdict)).toContain(measureWords(decided).replace(/^(\d+ of \d+ probes) lost/, '$1'));
    }
  });

  it('has equal values in sentence, node, segment and row', () => {
    for (const verdict of verdicts) {
      const facts = readVerdict(verdict);
      for (const one of verdict.measures) {
        const node = facts.layers.find(({ layer }) => layer === layerOf(one.measure));
        expect(node?.measures).toContain(one);
        expect(facts.row[one.measure]).toEqual({ value: one.value, blamed: one === facts.decided });
      }
      for (const { rtt, loss, decided, blamed } of Object.values(facts.segments)) {
        for (const shown of [rtt, loss]) if (shown) expect(facts.row[shown.measure]?.value).toBe(shown.value);
        expect(decided).toBe(blamed ? facts.decided : null);
      }
    }
  });

  it('judges nothing behind the layer at fault, and scores nothing lower than it', () => {
    for (const verdict of verdicts) {
      const { layers } = readVerdict(verdict);
      const at = LAYERS.indexOf(faultLayer(verdict.cause) as (typeof LAYERS)[number]);
      const behind = at < 0 ? [] : layers.slice(at + 1);
      for (const layer of behind) expect(layer).toMatchObject({ state: 'behind', score: null, behind: LAYERS[at] });
      const scores = layers.flatMap(({ score }) => score ?? []);
      if (at >= 0) expect(Math.min(...scores)).toBe(layers[at]?.score);
    }
  });

  it('is the same after it was sent as text', () => {
    for (const { measures } of verdicts) {
      const text = encodeJudged(measures);
      expect(text.length).toBeLessThan(1024);
      expect(decodeJudged(text)).toEqual(measures.toSorted((a, b) => MEASURES.indexOf(a.measure) - MEASURES.indexOf(b.measure)));
    }
  });
});

describe('the measure that decides', () => {
  const isp = (rtt: number, failed: number) =>
    readVerdict({
      cause: 'isp',
      since: '2026-11-21T08:10:00.000Z',
      measures: [
        made({ measure: 'gateway_rtt_ms', value: 3, limit: 25 }),
        made({ measure: 'isp_loss_ratio', value: failed / 65, limit: 0.02, samples: 65, failed }),
        made({ measure: 'isp_rtt_ms', value: rtt, limit: 80 }),
      ],
    });

  it('is the one furthest beyond its limit', () => {
    expect(sentenceText(composeSentence(isp(133, 2)), utcWords).replace('\u202f', ' ')).toBe(
      'Slow because of the ISP: its first router has been taking 133 ms to answer since 2026-11-21 08:10 UTC. Gateway is fine.',
    );
    expect(sentenceText(composeSentence(isp(82, 20)), utcWords)).toContain('lost 20 of 65 probes (31%)');
  });

  it('is none where an older agent names nothing, and the sentence then claims none', () => {
    const facts = readVerdict({ cause: 'isp', since: null, measures: [] });
    expect(sentenceText(composeSentence(facts), utcWords)).toBe('Slow because of the ISP.');
  });
});

it('takes no text of another shape for measures', () => {
  for (const text of ['', 'null', '[]', '{"isp_rtt_ms":[1]}', '{"isp_rtt_ms":["1",2]}', '{'])
    expect(decodeJudged(text)).toBeNull();
});
