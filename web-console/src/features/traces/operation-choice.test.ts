import { expect, it } from 'vitest';
import { isChosen, sharedNames, toggleOperation } from './operation-choice.ts';

const web = { name: 'POST /checkout', service: 'web' };
const shop = { name: 'POST /checkout', service: 'shop' };
const stock = { name: 'GET /stock', service: 'stock' };
const operations = [web, shop, stock];

it('knows the names that several services use', () => {
  expect([...sharedNames([...operations, web])]).toEqual(['POST /checkout']);
  expect([...sharedNames([stock])]).toEqual([]);
});

it('chooses one of two operations of one name, and not the other', () => {
  const search = toggleOperation({}, web, operations);
  expect(search).toEqual({ operation: ['POST /checkout'], service: ['web'] });
  expect(operations.map((one) => isChosen(search, one))).toEqual([true, false, false]);
  const both = toggleOperation(search, shop, operations);
  expect(both).toEqual({ operation: ['POST /checkout'], service: ['web', 'shop'] });
  expect(operations.map((one) => isChosen(both, one))).toEqual([true, true, false]);
});

it('keeps what was chosen before beside the service of a shared name', () => {
  const search = toggleOperation({ operation: ['GET /stock'] }, web, operations);
  expect(search).toEqual({ operation: ['GET /stock', 'POST /checkout'], service: ['stock', 'web'] });
});

it('asks by name alone where one service has it, and shows both of a name that was asked for alone', () => {
  expect(toggleOperation({}, stock, operations)).toEqual({ operation: ['GET /stock'] });
  expect(operations.map((one) => isChosen({ operation: ['POST /checkout'] }, one))).toEqual([true, true, false]);
});

it('lets go of an operation', () => {
  expect(toggleOperation({ operation: ['POST /checkout', 'GET /stock'] }, web, operations)).toEqual({
    operation: ['GET /stock'],
  });
  expect(toggleOperation({ operation: ['POST /checkout'] }, web, operations)).toEqual({ operation: undefined });
});
