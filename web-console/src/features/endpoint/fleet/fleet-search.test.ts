import { describe, expect, it } from 'vitest';
import { parseSearch, stringifySearch } from '../../../ui/address/search-params.ts';
import { describeFilters, filterValue } from './filter-words.ts';
import {
  csvHref,
  decodeFleetSearch,
  type FleetSearch,
  fromSort,
  pageOf,
  toFilter,
  toSort,
  withoutFilters,
} from './fleet-search.ts';

const roundTrip = (search: FleetSearch): FleetSearch => decodeFleetSearch(parseSearch(stringifySearch({ ...search }).slice(1)));

describe('the address', () => {
  it('carries every filter, sort, column and page there and back', () => {
    const search: FleetSearch = {
      search: 'LIS',
      verdict: ['wifi', 'isp'],
      site: ['Lisbon, floor 3'],
      os: ['Ubuntu'],
      ring: ['main'],
      connection: ['wired'],
      face: ['headless'],
      missing_permission: ['location'],
      gateway: '10.20.3.1',
      contact_within_minutes: 60,
      silent_for_minutes: 1440,
      wifi_rssi_below: -75,
      session_above_ms: 1500,
      sort: ['-worst_session_ms', 'name'],
      cols: 'name,verdict,site',
      page: 3,
      size: 100,
    };
    expect(roundTrip(search)).toEqual(search);
  });

  it('drops what nobody could have clicked', () => {
    const raw = { verdict: ['haunted'], page: '-3', size: '7', sort: ['password', 'toString'], wifi_rssi_below: '40' };
    expect(decodeFleetSearch(raw)).toEqual({});
    expect(decodeFleetSearch({ sort: ['password', '-name'], contact_within_minutes: '1.5', site: 'x'.repeat(129) })).toEqual({
      sort: ['-name'],
    });
  });

  it('asks the server for filters only, not for columns or pages', () => {
    expect(toFilter({ verdict: ['wifi'], cols: 'name', page: 2 })).toEqual({ verdict: ['wifi'] });
    expect(pageOf({ page: 3, size: 25 })).toEqual({ limit: 25, offset: 50, page: 3 });
  });

  it('says how long the silent ones are silent, and exports just those', () => {
    expect(filterValue({ silent_for_minutes: 1440 }, 'silent_for_minutes')).toBe('for 1 day or more');
    expect(csvHref({ silent_for_minutes: 1440 })).toContain('silent_for_minutes=1440');
  });

  it('gives the CSV the same filters and order as the table', () => {
    expect(csvHref({ site: ['Toulouse'], page: 4 })).toBe('/v1/endpoints.csv?site=Toulouse&sort=verdict&sort=-worst_session_ms');
  });
});

describe('sorting', () => {
  it('leaves no trace of the default order', () => {
    expect(fromSort(toSort({}))).toBeUndefined();
    expect(fromSort([{ column: 'name', desc: true }])).toEqual(['-name']);
  });
});

it('names the filters in the empty state and clears them all', () => {
  const search: FleetSearch = { site: ['Toulouse'], os: ['Ubuntu'], cols: 'name,verdict' };
  expect(describeFilters(search)).toBe('Site: Toulouse and OS: Ubuntu');
  expect(toFilter(withoutFilters(search))).toEqual({});
  expect(withoutFilters(search).cols).toBe('name,verdict');
});
