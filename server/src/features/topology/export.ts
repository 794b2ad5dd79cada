import { type ExportedColumns, stretchesOfNumber } from '#telemetry';

/** An hour at a time. An edge is told of the version of its minute that is read. */
export const EDGES: ExportedColumns = {
  table: 'edges',
  select: 'minute, source, target, kind, calls, errors, duration_ns, durations, bytes',
  key: [
    ['minute', 'UInt32'],
    ['source', 'String'],
    ['target', 'String'],
    ['kind', 'String'],
  ],
  stretch: stretchesOfNumber('minute', 60),
  only: `(minute, version) IN (SELECT minute, max(version) FROM edge_minutes WHERE tenant_id = {tenant:String} GROUP BY minute)`,
  newest: 'version DESC',
  pageRows: 2000,
};
