import { createRandom, hashOf } from '../domain/random.ts';
import type { Attributes } from './attributes.ts';
import { loadAt } from './incidents.ts';
import { instanceOf, NODES, nodeInstance, type Pod, SERVICE_NAMES, SERVICES } from './services.ts';
import type { InstanceMetrics, Metric } from './signals.ts';

const MB = 1024 * 1024;
const FULL_LOAD = 12;

interface Reading {
  name: string;
  unit: string;
  description: string;
  /** One point, or one for each value of an attribute. */
  values: readonly { attributes?: Attributes; value: number }[];
}

const gaugeOf = ({ values, ...named }: Reading, atMs: number): Metric => ({
  ...named,
  type: 'gauge',
  points: values.map(({ attributes = {}, value }) => ({ attributes, startMs: atMs, atMs, value })),
});

/** What runs beside the requests: memory and CPU of each pod and node, and what a Collector asks databases and brokers. */
export function readGauges({
  atMs,
  seed,
  checkoutVersion,
}: {
  atMs: number;
  seed: number;
  checkoutVersion: string;
}): InstanceMetrics[] {
  const load = loadAt(atMs) / FULL_LOAD;
  const noiseOf = (key: string) => createRandom(hashOf('gauge', seed, key, Math.floor(atMs / 1000)));
  const podsOf = SERVICE_NAMES.flatMap((service) =>
    Array.from({ length: SERVICES[service].pods }, (_, pod) =>
      service === 'checkout' ? instanceOf(service, pod, checkoutVersion) : instanceOf(service, pod),
    ),
  );
  const pods = podsOf.map((instance) => {
    const random = noiseOf(instance.key);
    const readings = [
      {
        name: 'process.memory.usage',
        unit: 'By',
        description: 'The amount of physical memory in use.',
        values: [{ value: Math.round((90 + instance.service.length * 40 + load * 60 + random.next() * 8) * MB) }],
      },
      {
        name: 'process.cpu.utilization',
        unit: '1',
        description: 'Share of one CPU in use.',
        values: [{ value: 0.03 + load * 0.3 * (0.8 + random.next() * 0.4) }],
      },
      ...readStore(instance, load + random.next() * 0.05),
    ];
    return { instance, metrics: readings.map((reading) => gaugeOf(reading, atMs)) };
  });
  const nodes = NODES.map((node) => {
    const instance = nodeInstance(node, 'collector');
    const random = noiseOf(instance.key);
    const cpu = 0.12 + load * 0.45 + random.next() * 0.05;
    const readings = [
      { name: 'system.cpu.utilization', unit: '1', description: 'Share of the CPUs in use.', values: [{ value: cpu }] },
      {
        name: 'system.memory.utilization',
        unit: '1',
        description: 'Share of the memory in use.',
        values: [{ attributes: { 'system.memory.state': 'used' }, value: 0.41 + load * 0.1 + random.next() * 0.01 }],
      },
    ];
    return { instance, metrics: readings.map((reading) => gaugeOf(reading, atMs)) };
  });
  return [...pods, ...nodes];
}

function readStore({ service }: Pod, load: number): Reading[] {
  if (service === 'postgres')
    return [
      {
        name: 'postgresql.backends',
        unit: '{backend}',
        description: 'The number of backends.',
        values: [{ attributes: { 'postgresql.database.name': 'shop' }, value: Math.round(6 + load * 30) }],
      },
    ];
  if (service === 'redis')
    return [
      {
        name: 'redis.memory.used',
        unit: 'By',
        description: 'Bytes allocated by Redis.',
        values: [{ value: Math.round((60 + load * 90) * MB) }],
      },
    ];
  if (service === 'kafka')
    return [
      {
        name: 'kafka.consumer_group.lag',
        unit: '{message}',
        description: 'How far a consumer group is behind.',
        values: ['shipping', 'email'].map((group) => ({ attributes: { group, topic: 'orders' }, value: Math.round(load * 4) })),
      },
    ];
  return [];
}
