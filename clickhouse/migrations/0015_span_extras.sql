-- Links and counts of what was dropped as one JSON text (contracts/src/otlp/span-extras.ts), '' for nothing: seven lists that are nearly always
-- empty took a sixth of what it costs to insert and merge a span, and more where an insert left them out. Dropped before any release has had
-- them. Each statement can be run again, since ClickHouse may be stopped between two of them.
ALTER TABLE spans ADD COLUMN IF NOT EXISTS extras String DEFAULT
    if(empty(link_trace_ids) AND NOT arrayExists(n -> n > 0, dropped), '', toJSONString(CAST(tuple(
        arrayMap(i -> (
            lower(hex(link_trace_ids[i])), lower(hex(link_span_ids[i])), toString(link_trace_states[i]), link_flags[i],
            (arrayMap(k -> toString(k), mapKeys(link_attributes[i])), mapValues(link_attributes[i]), toString(link_attribute_types[i])),
            dropped[3 + length(event_ts) + i]), arrayEnumerate(link_trace_ids)),
        dropped[1], dropped[2], dropped[3], arraySlice(dropped, 4, length(event_ts))),
        'Tuple(links Array(Tuple(traceId String, spanId String, traceState String, flags UInt32,
            attributes Tuple(keys Array(String), values Array(String), types String), droppedAttributesCount UInt32)),
        droppedAttributesCount UInt32, droppedEventsCount UInt32, droppedLinksCount UInt32, droppedOfEvents Array(UInt32))')))
    CODEC(ZSTD(1));
-- Written into the parts that have any; the others read '' once that is the default.
ALTER TABLE spans UPDATE extras = extras WHERE extras != '';
ALTER TABLE spans MODIFY COLUMN extras String DEFAULT '' CODEC(ZSTD(1));
ALTER TABLE spans
    DROP COLUMN IF EXISTS link_trace_ids, DROP COLUMN IF EXISTS link_span_ids, DROP COLUMN IF EXISTS link_attributes,
    DROP COLUMN IF EXISTS link_attribute_types, DROP COLUMN IF EXISTS link_trace_states, DROP COLUMN IF EXISTS link_flags,
    DROP COLUMN IF EXISTS dropped;
