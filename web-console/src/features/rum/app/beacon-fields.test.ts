import { Beacon } from '@svc/contracts/rum/beacon';
import { expect, it } from 'vitest';
import { readFields } from './beacon-fields.ts';

const body = JSON.stringify({ v: 1, key: 'app_x', consent: true, host: 'shop.example', page: '/', vitals: { lcp_ms: 900 } });

it('explains each field that the schema takes, and no other', () => {
  const { vitals, ...shape } = Beacon.shape;
  const inner = Object.keys(vitals.unwrap().shape).map((name) => `vitals.${name}`);
  const names = readFields(undefined).map(({ name }) => name);
  expect(names.toSorted()).toEqual([...Object.keys(shape), ...inner].toSorted());
});

it('tells what was sent from what was not, and names what the server would refuse', () => {
  const sent = (of: string, name: string) => readFields(of).find((field) => field.name === name)?.value;
  expect([sent(body, 'page'), sent(body, 'vitals.lcp_ms'), sent(body, 'vitals.inp_ms')]).toEqual(['/', '900', undefined]);
  const more = JSON.stringify({ ...JSON.parse(body), user_id: 'ana' });
  expect(readFields(more).at(-1)).toEqual({
    ...{ name: 'user_id', value: 'ana', meaning: 'Outside the schema: the server refuses it.' },
  });
});
