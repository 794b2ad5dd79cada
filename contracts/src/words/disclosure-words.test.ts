import { describe, expect, it } from 'vitest';
import { CollectItem } from '../agent/ipc.ts';
import { CollectSchema, Policy } from '../policy.ts';
import { HOURLY_KEPT_MONTHS, RESULTS_KEPT_DAYS } from '../retention.ts';
import { createDisclosureWords, itemName, itemState, itemWhy, readersWords } from './disclosure-words.ts';
import { LANGUAGES } from './languages.ts';
import { itemsOfPolicy } from './policy-items.ts';

const allowed = CollectSchema.parse({});
const items = (policy: Partial<Policy>) => itemsOfPolicy(Policy.parse(policy), 'https://plane.example', allowed);

describe('what a policy collects, item by item', () => {
  it('has the shape that the devices’ own page has, each item once', () => {
    const all = items({ version: 2, traceTargets: ['192.0.2.1'] });
    for (const item of all) expect(CollectItem.safeParse({ ...item, last: null }).success, item.item).toBe(true);
    expect(new Set(all.map(({ item }) => item)).size).toBe(all.length);
    expect(all.find(({ item }) => item === 'path')).toMatchObject({ on: true, decidedBy: 'policy', everySeconds: 300 });
  });

  it('switches off what the policy forbids, and what no device sends by itself', () => {
    const collect = { ...allowed, ssid: false, publicHops: true };
    const of = Object.fromEntries(items({ version: 2, collect }).map((item) => [item.item, item]));
    expect(of.ssid).toMatchObject({ on: false, decidedBy: 'policy', yours: false });
    expect(of.publicHops).toMatchObject({ on: false, decidedBy: 'default' });
    expect(of.deviceName).toMatchObject({ on: true, decidedBy: 'policy', yours: true });
    expect(of.path).toMatchObject({ on: false });
  });
});

describe.each(LANGUAGES)('the words of the disclosure in %s', (language) => {
  const words = createDisclosureWords(language);

  it('name every item, its reason and who decided', () => {
    for (const item of items({ version: 1 })) {
      for (const text of [itemName(words, item), itemWhy(words, item), itemState(words, item)]) expect(text).toMatch(/^\p{Lu}/u);
    }
  });

  it('count the readers, and tell the truth about how long it is kept', () => {
    expect(readersWords(words, { organisation: 'Example GmbH', readers: 3 })).toContain('3');
    expect(readersWords(words, { organisation: null, readers: null })).not.toContain('null');
    const kept = words.t('welcome.keptText', { n: RESULTS_KEPT_DAYS });
    expect(kept).toContain(String(RESULTS_KEPT_DAYS));
    expect(kept).toContain(String(HOURLY_KEPT_MONTHS));
  });
});
