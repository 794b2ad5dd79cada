import type { MessageTables } from './table-types.ts';

/** opentelemetry/proto/common/v1/common.proto and resource/v1/resource.proto. */
export const COMMON_MESSAGES = {
  AnyValue: [
    [1, 'string_value', 'stringValue', 'string', 'oneof value'],
    [2, 'bool_value', 'boolValue', 'bool', 'oneof value'],
    [3, 'int_value', 'intValue', 'int64', 'oneof value'],
    [4, 'double_value', 'doubleValue', 'double', 'oneof value'],
    [5, 'array_value', 'arrayValue', 'ArrayValue', 'oneof value'],
    [6, 'kvlist_value', 'kvlistValue', 'KeyValueList', 'oneof value'],
    [7, 'bytes_value', 'bytesValue', 'bytes', 'oneof value'],
    [8, 'string_value_strindex', 'stringValueStrindex', 'int32', 'oneof value'],
  ],
  ArrayValue: [[1, 'values', 'values', 'AnyValue', 'repeated']],
  KeyValueList: [[1, 'values', 'values', 'KeyValue', 'repeated']],
  KeyValue: [
    [1, 'key', 'key', 'string'],
    [2, 'value', 'value', 'AnyValue'],
    [3, 'key_strindex', 'keyStrindex', 'int32'],
  ],
  InstrumentationScope: [
    [1, 'name', 'name', 'string'],
    [2, 'version', 'version', 'string'],
    [3, 'attributes', 'attributes', 'KeyValue', 'repeated'],
    [4, 'dropped_attributes_count', 'droppedAttributesCount', 'uint32'],
  ],
  EntityRef: [
    [1, 'schema_url', 'schemaUrl', 'string'],
    [2, 'type', 'type', 'string'],
    [3, 'id_keys', 'idKeys', 'string', 'repeated'],
    [4, 'description_keys', 'descriptionKeys', 'string', 'repeated'],
  ],
  Resource: [
    [1, 'attributes', 'attributes', 'KeyValue', 'repeated'],
    [2, 'dropped_attributes_count', 'droppedAttributesCount', 'uint32'],
    [3, 'entity_refs', 'entityRefs', 'EntityRef', 'repeated'],
  ],
} as const satisfies MessageTables;
