import { BUCKETS_A_DOUBLING } from './domain/quantile.ts';
import { CALLEE_AFTER_MINUTES, CALLER_BEFORE_MINUTES, FIRST_CLIENT_PORT, OTHER } from './edge-rules.ts';

const MINUTE_NS = 60_000_000_000n;

/** Parameters of one computation: minutes since 1970, a version, one trace of how many counts, and how many edges of a kind a minute has. */
export interface Stretch {
  minutes: readonly number[];
  version: number;
  oneIn: number;
  maxEdges: number;
}

export function stretchParams({ minutes, version, oneIn, maxEdges }: Stretch): Record<string, unknown> {
  const first = BigInt(Math.min(...minutes));
  const end = BigInt(Math.max(...minutes) + 1);
  return {
    minutes,
    version: String(version),
    oneIn,
    maxEdges,
    fromNs: String(first * MINUTE_NS),
    toNs: String(end * MINUTE_NS),
    callersFromNs: String((first - BigInt(CALLER_BEFORE_MINUTES)) * MINUTE_NS),
    calleesFromNs: String((first - 1n) * MINUTE_NS),
    calleesToNs: String((end + BigInt(CALLEE_AFTER_MINUTES)) * MINUTE_NS),
  };
}

const between = (from: string, to: string): string =>
  `tenant_id = {tenant:String} AND ts >= fromUnixTimestamp64Nano({${from}:Int64}) AND ts < fromUnixTimestamp64Nano({${to}:Int64})`;
const MINUTE = 'toUInt32(intDiv(toUnixTimestamp(ts), 60))';
const WANTED = `${between('fromNs', 'toNs')} AND has({minutes:Array(UInt32)}, ${MINUTE})`;
/** Whole traces are left out, never parts of one. */
const KEPT = 'cityHash64(trace_id) % {oneIn:UInt32} = 0';

/** Links of `extras` (contracts/src/otlp/span-extras.ts), of consumer spans alone. */
const LINKED = `if(kind = 5 AND extras != '',
  arrayMap(l -> (toFixedString(unhex(l.traceId), 16), toFixedString(unhex(l.spanId), 8)),
    JSONExtract(extras, 'links', 'Array(Tuple(traceId String, spanId String))')), [])`;

/** Whom a server or consumer span answers: its parent, and for a consumer what it links to instead. */
const ANSWERED = `if(notEmpty(${LINKED}), ${LINKED}, [(trace_id, parent_id)])`;

/** Rows with the place of their edge among those of its minute and kind, the one of most weight first. */
const ranked = (rows: string, weight: string): string =>
  `SELECT *, dense_rank() OVER (PARTITION BY minute, how ORDER BY edge_weight DESC, source, target) AS place FROM (
    SELECT *, sum(${weight}) OVER (PARTITION BY minute, how, source, target) AS edge_weight FROM (${rows}))`;

/**
 * Edges of the table grow with the names that senders invent: of a minute and kind only so many keep theirs. The targets of further ones
 * become one; where that leaves as many of sources, these do as well.
 */
function folded(rows: string, weight: string): string {
  const targets = `SELECT * EXCEPT (place, edge_weight) REPLACE (if(place > {maxEdges:UInt32}, '${OTHER}', target) AS target)
    FROM (${ranked(rows, weight)})`;
  return `SELECT * EXCEPT (place, edge_weight) REPLACE (if(place > 2 * {maxEdges:UInt32}, '${OTHER}', source) AS source,
      if(place > 2 * {maxEdges:UInt32}, '${OTHER}', target) AS target)
    FROM (${ranked(targets, weight)})`;
}

/** The same edges summed by a bucket of duration first: a map for each span would be made otherwise. */
const sumUp = (rows: string): string => `INSERT INTO edges
    (tenant_id, minute, source, target, kind, calls, errors, duration_ns, durations, version)
  SELECT {tenant:String}, minute, source, target, how, sum(c), sum(failed), sum(total),
    sumMap(map(bucket, c)), {version:UInt64} FROM (${folded(
      `SELECT minute, toString(source) AS source, toString(target) AS target, how,
      toUInt16(floor(${BUCKETS_A_DOUBLING} * log2(greatest(duration, 1)))) AS bucket,
      count() * {oneIn:UInt32} AS c, countIf(status = 2) * {oneIn:UInt32} AS failed, sum(toFloat64(duration)) * {oneIn:UInt32} AS total
    FROM (${rows}) GROUP BY minute, source, target, how, bucket`,
      'c',
    )})
  GROUP BY minute, source, target, how`;

/** Spans of a kind, each once: what its sender sent again, not knowing that it had arrived, is stored twice. */
const once = (columns: string, kinds: string): string =>
  `(SELECT ${columns} FROM spans WHERE ${WANTED} AND ${KEPT} AND kind IN (${kinds}) LIMIT 1 BY trace_id, span_id, kind)`;

/** Requests and messages that a service took, with who sent them. A caller within the same service is no edge between services. */
export const ANSWERS = sumUp(`SELECT minute, target, status, duration, found,
      if(found = 1, caller, '') AS source,
      multiIf(found = 1, if(kind = 5, 'message', 'call'), asked.2 = unhex('0000000000000000'), 'entry', 'unseen') AS how
    FROM (SELECT ${MINUTE} AS minute, service AS target, kind, status, duration_ns AS duration, arrayJoin(${ANSWERED}) AS asked,
        asked.1 AS asked_trace, asked.2 AS asked_span
      FROM ${once('ts, service, kind, status, duration_ns, trace_id, span_id, parent_id, extras', '2, 5')}) AS answers
    ANY LEFT JOIN (SELECT trace_id, span_id, toString(service) AS caller, 1 AS found FROM spans
      WHERE ${between('callersFromNs', 'toNs')} AND ${KEPT} AND (trace_id, span_id) IN (
        SELECT arrayJoin(${ANSWERED}) FROM spans WHERE ${WANTED} AND ${KEPT} AND kind IN (2, 5))) AS callers
    ON answers.asked_trace = callers.trace_id AND answers.asked_span = callers.span_id`);

/** Calls that no instrumented service answered, by what the caller says of whom it called; `nameless` where it says nothing. */
export const OUTSIDE = sumUp(`SELECT ${MINUTE} AS minute, service AS source, peer AS target, status, duration_ns AS duration,
      multiIf(peer = '', 'nameless', db_system != '', 'database', kind = 4, 'queue', 'host') AS how
    FROM ${once('ts, service, peer, db_system, kind, status, duration_ns, trace_id, span_id', '3, 4')} WHERE (trace_id, span_id) NOT IN (
      SELECT arrayJoin(${ANSWERED}) FROM spans WHERE ${between('calleesFromNs', 'calleesToNs')} AND ${KEPT} AND kind IN (2, 5))`);

/** That a service sent spans at all, whatever their kind. */
export const SERVICES = `INSERT INTO edges (tenant_id, minute, source, target, kind, calls, errors, duration_ns, durations, version)
  SELECT {tenant:String}, minute, '', target, 'service', sum(c), 0, 0, map(), {version:UInt64} FROM (${folded(
    `SELECT ${MINUTE} AS minute, '' AS source, toString(service) AS target, 'service' AS how, count() AS c FROM spans WHERE ${WANTED}
      GROUP BY minute, target`,
    'c',
  )})
  GROUP BY minute, target`;

const FLOW_METRICS = "metric IN ('obi_network_flow_bytes', 'obi_network_flow_bytes_total')";

const END_OF_FLOW = (end: 'src' | 'dst'): string =>
  `multiIf(${[`k8s.${end}.owner.name`, `${end}.name`, `k8s.${end}.name`, `${end}.address`]
    .map((key) => `labels['${key}'] != '', labels['${key}']`)
    .join(', ')}, '')`;

const port = (key: string): string => `toUInt16OrZero(labels['${key}'])`;

/**
 * Whether a flow is what a client sends or what it is answered: OBI's `direction`, which it sends by default; else the port that OBI
 * calls the server's or the client's; else, as OBI itself guesses, the server's port is the lower one. '' without a word about it.
 */
const WAY_OF_FLOW = `multiIf(labels['direction'] IN ('request', 'response'), labels['direction'],
            src = dst, '',
            server != 0 AND server IN (src, dst), if(server = dst, 'request', 'response'),
            client != 0 AND client IN (src, dst), if(client = src, 'request', 'response'),
            dst = 0, if(src >= ${FIRST_CLIENT_PORT}, 'request', 'response'),
            src = 0, if(dst >= ${FIRST_CLIENT_PORT}, 'response', 'request'),
            if(src > dst, 'request', 'response'))`;

/**
 * Bytes between two ends, by how much their counters grew; a counter that fell began again at 0, a first point only says where it stands.
 * Of a reply the source is the end that asked. OBI may report one flow where it leaves and where it comes in (`iface.direction`, once
 * `direction`): the larger of the two is taken.
 */
const GROWN = `SELECT at AS minute, if(way = 'response', receiver, sender) AS source, if(way = 'response', sender, receiver) AS target,
    multiIf(way = 'request', 'request', way = 'response', 'reply', 'flow') AS how, max(grown) AS most FROM (
    SELECT at, sender, receiver, way, seen, sum(grew) AS grown FROM (
      SELECT fp, toUInt32(intDiv(toUnixTimestamp64Milli(ts), 60000)) AS at,
        lagInFrame(value, 1, -1) OVER (PARTITION BY fp ORDER BY ts ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS before,
        multiIf(how = 'delta', value, before < 0, 0, value < before, value, value - before) AS grew, sender, receiver, way, seen
      FROM (SELECT fp, ts, any(value) AS value FROM metric_points WHERE ${between('callersFromNs', 'toNs')} AND ${FLOW_METRICS}
        GROUP BY fp, ts) AS points
      INNER JOIN (SELECT fp, any(kind) AS how, any(${END_OF_FLOW('src')}) AS sender, any(${END_OF_FLOW('dst')}) AS receiver,
          any(if(labels['iface.direction'] != '', labels['iface.direction'], labels['direction'])) AS seen, any(${WAY_OF_FLOW}) AS way
        FROM (SELECT fp, kind, labels, ${port('src.port')} AS src, ${port('dst.port')} AS dst, ${port('server.port')} AS server,
          ${port('client.port')} AS client FROM metric_series WHERE tenant_id = {tenant:String} AND ${FLOW_METRICS}) GROUP BY fp) AS series
      USING fp)
    WHERE has({minutes:Array(UInt32)}, at) AND sender != '' AND receiver != '' AND sender != receiver
    GROUP BY at, sender, receiver, way, seen)
  GROUP BY at, source, target, how HAVING most > 0`;

export const FLOWS = `INSERT INTO edges (tenant_id, minute, source, target, kind, calls, errors, duration_ns, durations, bytes, version)
  SELECT {tenant:String}, minute, source, target, how, 0, 0, 0, map(), sum(most), {version:UInt64} FROM (${folded(GROWN, 'most')})
  GROUP BY minute, source, target, how`;

/** Calls of edges that have lost their name. */
export const BEYOND = `SELECT toFloat64(sum(calls)) AS calls FROM edges
  WHERE tenant_id = {tenant:String} AND has({minutes:Array(UInt32)}, minute) AND version = {version:UInt64}
    AND target = '${OTHER}' AND kind != 'service'`;

/** What the minutes hold, and what cannot be told of them. Last of all: it makes the edges of this version the ones that are read. */
export const MINUTES = `INSERT INTO edge_minutes (tenant_id, minute, spans, sampled, one_in, version)
  SELECT {tenant:String}, wanted, sum(n), sum(thinned), {oneIn:UInt32}, {version:UInt64} FROM (
    SELECT arrayJoin({minutes:Array(UInt32)}) AS wanted, 0 AS n, 0 AS thinned
    UNION ALL SELECT ${MINUTE} AS wanted, count(), countIf(position(trace_state, 'th:') > 0) FROM spans WHERE ${WANTED} GROUP BY wanted)
  GROUP BY wanted`;

export const MARK = `INSERT INTO edge_marks (tenant_id, minute, writes, rolled, written_at)
  SELECT {tenant:String}, seen.1, 0, seen.2, fromUnixTimestamp64Milli(0) FROM (
    SELECT arrayJoin(arrayZip({minutes:Array(UInt32)}, {seen:Array(UInt64)})) AS seen)`;

/** Minutes that are over and changed; the ones never computed before all others, else the newest first. */
export const DUE = `SELECT minute, sum(edge_marks.writes) AS seen, max(written_at) <= fromUnixTimestamp64Milli({settledMs:Int64}) AS settled
  FROM edge_marks WHERE tenant_id = {tenant:String} AND minute >= {firstMinute:UInt32} AND minute < {endMinute:UInt32}
  GROUP BY minute HAVING seen > max(rolled) AND (settled OR max(rolled) = 0)
  ORDER BY max(rolled) = 0 DESC, minute DESC LIMIT {limit:UInt32}`;

export const COUNT_SPANS = `SELECT count() AS c FROM spans WHERE ${WANTED}`;

export const NEWEST_VERSION = `SELECT toString(max(version)) AS version FROM edge_minutes
  WHERE tenant_id = {tenant:String} AND has({minutes:Array(UInt32)}, minute)`;
