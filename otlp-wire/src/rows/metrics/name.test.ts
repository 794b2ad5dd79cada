import { expect, test } from 'vitest';
import { tsdbName } from './name.ts';

const gauge = { monotonic: false, gauge: true };
const counter = { monotonic: true, gauge: false };
const other = { monotonic: false, gauge: false };

test.each([
  ['http.server.request.duration', 's', other, 'http_server_request_duration_seconds'],
  ['http.server.active_requests', '{request}', other, 'http_server_active_requests'],
  ['system.cpu.time', 's', counter, 'system_cpu_time_seconds_total'],
  ['system.cpu.utilization', '1', gauge, 'system_cpu_utilization_ratio'],
  ['cache.hit.ratio', '1', gauge, 'cache_hit_ratio'],
  ['requests.total', '1', counter, 'requests_total'],
  ['total.requests', '', counter, 'requests_total'],
  ['system.network.io', 'By', counter, 'system_network_io_bytes_total'],
  ['process.memory.usage', 'By', other, 'process_memory_usage_bytes'],
  ['hw.fan.speed', 'rpm', gauge, 'hw_fan_speed_rpm'],
  ['disk.throughput', 'By/s', gauge, 'disk_throughput_bytes_per_second'],
  ['queue.rate', '{message}/s', gauge, 'queue_rate_per_second'],
  ['latency.seconds', 's', other, 'latency_seconds'],
  ['k8s.pod.cpu.usage', '{cpu}', gauge, 'k8s_pod_cpu_usage'],
  ['battery.charge', '%', gauge, 'battery_charge_percent'],
  ['obi.network.flow.bytes', 'By', counter, 'obi_network_flow_bytes_total'],
  ['2xx.responses', '', counter, '_2xx_responses_total'],
  ['already_there:rate5m', '', other, 'already_there:rate5m'],
  ['a..b--c', 'constructor', other, 'a_b_c_constructor'],
] as const)('%s in %s', (...[name, unit, kind, expected]) => expect(tsdbName({ name, unit, ...kind })).toBe(expected));
