import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as tags from './generated/tags.ts';

// What reads all signals alike takes the tag of one of them.
it.each([
  [
    'the resources of a request',
    tags.EXPORT_TRACE_SERVICE_REQUEST_RESOURCE_SPANS,
    tags.EXPORT_LOGS_SERVICE_REQUEST_RESOURCE_LOGS,
  ],
  [
    'the resources of a request of metrics',
    tags.EXPORT_TRACE_SERVICE_REQUEST_RESOURCE_SPANS,
    tags.EXPORT_METRICS_SERVICE_REQUEST_RESOURCE_METRICS,
  ],
  ['a resource', tags.RESOURCE_SPANS_RESOURCE, tags.RESOURCE_LOGS_RESOURCE, tags.RESOURCE_METRICS_RESOURCE],
  [
    'the scopes of a resource',
    tags.RESOURCE_SPANS_SCOPE_SPANS,
    tags.RESOURCE_LOGS_SCOPE_LOGS,
    tags.RESOURCE_METRICS_SCOPE_METRICS,
  ],
  ['a scope', tags.SCOPE_SPANS_SCOPE, tags.SCOPE_LOGS_SCOPE, tags.SCOPE_METRICS_SCOPE],
  ['the records of a scope', tags.SCOPE_SPANS_SPANS, tags.SCOPE_LOGS_LOG_RECORDS, tags.SCOPE_METRICS_METRICS],
  ['the URL of a schema', tags.RESOURCE_SPANS_SCHEMA_URL, tags.RESOURCE_LOGS_SCHEMA_URL, tags.RESOURCE_METRICS_SCHEMA_URL],
  ["the URL of a scope's schema", tags.SCOPE_SPANS_SCHEMA_URL, tags.SCOPE_LOGS_SCHEMA_URL, tags.SCOPE_METRICS_SCHEMA_URL],
  ['the points of a metric', tags.GAUGE_DATA_POINTS, tags.SUM_DATA_POINTS, tags.HISTOGRAM_DATA_POINTS],
  ['the points of the other metrics', tags.GAUGE_DATA_POINTS, tags.EXPONENTIAL_HISTOGRAM_DATA_POINTS, tags.SUMMARY_DATA_POINTS],
  [
    'temporality',
    tags.SUM_AGGREGATION_TEMPORALITY,
    tags.HISTOGRAM_AGGREGATION_TEMPORALITY,
    tags.EXPONENTIAL_HISTOGRAM_AGGREGATION_TEMPORALITY,
  ],
  ['the time of a point', tags.NUMBER_DATA_POINT_TIME_UNIX_NANO, tags.HISTOGRAM_DATA_POINT_TIME_UNIX_NANO],
  [
    'the time of the other points',
    tags.NUMBER_DATA_POINT_TIME_UNIX_NANO,
    tags.EXPONENTIAL_HISTOGRAM_DATA_POINT_TIME_UNIX_NANO,
    tags.SUMMARY_DATA_POINT_TIME_UNIX_NANO,
  ],
  ['a count', tags.HISTOGRAM_DATA_POINT_COUNT, tags.EXPONENTIAL_HISTOGRAM_DATA_POINT_COUNT, tags.SUMMARY_DATA_POINT_COUNT],
  ['a sum', tags.HISTOGRAM_DATA_POINT_SUM, tags.EXPONENTIAL_HISTOGRAM_DATA_POINT_SUM, tags.SUMMARY_DATA_POINT_SUM],
  ['the items of a list and of a map', tags.ARRAY_VALUE_VALUES, tags.KEY_VALUE_LIST_VALUES],
  [
    'dropped attributes of an event and a resource',
    tags.INSTRUMENTATION_SCOPE_DROPPED_ATTRIBUTES_COUNT,
    tags.SPAN_EVENT_DROPPED_ATTRIBUTES_COUNT,
  ],
  [
    'what a partial success leaves out',
    tags.EXPORT_TRACE_PARTIAL_SUCCESS_REJECTED_SPANS,
    tags.EXPORT_LOGS_PARTIAL_SUCCESS_REJECTED_LOG_RECORDS,
    tags.EXPORT_METRICS_PARTIAL_SUCCESS_REJECTED_DATA_POINTS,
  ],
])('%s has one tag', (_what, ...same) => {
  expect(new Set(same).size).toBe(1);
});

/** A constant of a file that is a tag by its comment, or a tag that is compared with a number. */
const BY_HAND =
  /\/\*\* (?:Tags?|Fields?) of [A-Z][^\n]*\*\/\n(?:export )?const \w+[^=\n]*= \d|\btag\b(?:\)| )*===? \d|\bcase \d+: *\/\/ [A-Z]/;

it('are never written by hand', () => {
  const root = join(import.meta.dirname, '..');
  const files = ['src', 'assembly'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const written = files.filter((name) => /(?<!\.test)\.ts$/.test(name) && !/generated|test-/.test(name));
  expect(written.length).toBeGreaterThan(50);
  expect(written.filter((name) => BY_HAND.test(readFileSync(join(root, name), 'utf8')))).toEqual([]);
});
