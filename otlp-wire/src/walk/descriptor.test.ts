import { OTLP_ENUMS, OTLP_MESSAGES } from '@svc/contracts/otlp/descriptor';
import protobuf from 'protobufjs';
import { expect, it } from 'vitest';
import { conformingType } from './test-conforming.ts';

const packages = ['collector.trace', 'collector.logs', 'collector.metrics', 'common', 'resource', 'trace', 'logs', 'metrics'];
const root = conformingType('traces').root;

/** Messages and enums of the package and nested in them, by names as in our tables. */
function collect(namespace: protobuf.NamespaceBase, found = new Map<string, protobuf.ReflectionObject>()) {
  for (const part of namespace.nestedArray) {
    if (part instanceof protobuf.Type || part instanceof protobuf.Enum) found.set(part.fullName.replace(/^.*\.v1\./, ''), part);
    if (part instanceof protobuf.Type) collect(part, found);
  }
  return found;
}

const theirs = new Map(
  packages.flatMap((name) => [...collect(root.lookup(`opentelemetry.proto.${name}.v1`) as protobuf.Namespace)]),
);
const notOurs = ['TracesData', 'LogsData', 'MetricsData', 'SpanFlags', 'LogRecordFlags', 'DataPointFlags'];
const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

function occurrenceOf(field: protobuf.Field): string[] {
  if (field.repeated) return ['repeated'];
  if (!field.partOf) return [];
  return [
    field.partOf.fieldsArray.length === 1 && field.partOf.name === `_${field.name}` ? 'optional' : `oneof ${field.partOf.name}`,
  ];
}

it('has the messages, fields and enums of the OpenTelemetry project, all and no more', () => {
  expect([...Object.keys(OTLP_MESSAGES), ...Object.keys(OTLP_ENUMS), ...notOurs].sort()).toEqual([...theirs.keys()].sort());
  for (const [name, part] of theirs) {
    if (notOurs.includes(name)) continue;
    if (part instanceof protobuf.Enum) expect(OTLP_ENUMS[name], name).toEqual(part.values);
    if (!(part instanceof protobuf.Type)) continue;
    const rows = [...part.fieldsArray]
      .sort((a, b) => a.id - b.id)
      .map((field) => {
        const type = field.resolve().resolvedType?.fullName.replace(/^.*\.v1\./, '') ?? field.type;
        return [field.id, field.name, camel(field.name), type, ...occurrenceOf(field)];
      });
    expect(OTLP_MESSAGES[name], name).toEqual(rows);
  }
});
