import { expect, it } from 'vitest';
import { ApiError } from '../../api.ts';
import { FORMS } from '../../ui/notify/test-connectors.ts';
import { faultsOf, missingOf, valuesOf } from './connector-values.ts';

const [pager, , jira] = FORMS.items;
if (!pager || !jira) throw new Error('three forms');

it('sends what was typed into the fields of this provider alone', () => {
  // Another provider was chosen first, and its field was filled in.
  expect(valuesOf(pager, { url: ' https://x.example ', project: 'OPS' }, { credential: 'k' })).toEqual({
    url: 'https://x.example',
    credential: 'k',
  });
  expect(valuesOf(pager, { credential: 'never from here' }, { credential: '' })).toEqual({});
});

it('knows what is still missing', () => {
  expect(missingOf(jira, {})).toBe('Site');
  expect(missingOf(jira, { url: 'u', project: 'OPS' })).toBe('API token');
  expect(missingOf(jira, { url: 'u', project: 'OPS' }, ['credential'])).toBeUndefined();
});

it('takes what is said of fields to the fields', () => {
  const refused = (...paths: string[]) =>
    new ApiError('validation', 'all of it', { faults: paths.map((path) => ({ path, message: `no ${path}` })) });
  expect(faultsOf(jira, refused('project', 'values.history'))).toEqual({
    faults: { project: 'no project', history: 'no values.history' },
    message: 'Correct the marked fields.',
  });
  expect(faultsOf(jira, refused('project', 'name'))).toEqual({ faults: { project: 'no project' }, message: 'all of it' });
  expect(faultsOf(jira, new ApiError('conflict', 'too many'))).toEqual({ faults: {}, message: 'too many' });
  expect(faultsOf(jira, null)).toEqual({ faults: {}, message: undefined });
});
