import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Meter } from '@opentelemetry/api';

const LOOK_BACK_MS = 60_000;
const QUANTILES = [50, 99, 100] as const;
const RESOLUTION_MS = 10;
const NANOSECONDS = 1e9;

/** Node times a timer's whole wait; seconds beyond it. */
const lateness = (nanoseconds: number): number => Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000);

/** What this process costs and how late its event loop is; gives what ends the watch. */
export function observeProcess(meter: Meter): () => void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const forget = setInterval(() => delay.reset(), LOOK_BACK_MS).unref();
  meter
    .createObservableGauge('svc.process.eventloop.delay', {
      unit: 's',
      description: 'How late the event loop was within the last minute, by quantile.',
    })
    .addCallback((result) => {
      for (const percent of QUANTILES)
        if (delay.count > 0) result.observe(lateness(delay.percentile(percent)), { quantile: String(percent / 100) });
    });
  meter
    .createObservableGauge('svc.process.memory.rss', { unit: 'By', description: 'Resident memory.' })
    .addCallback((result) => result.observe(process.memoryUsage.rss()));
  meter
    .createObservableGauge('svc.process.memory.heap', { unit: 'By', description: 'Heap in use.' })
    .addCallback((result) => result.observe(process.memoryUsage().heapUsed));
  meter
    .createObservableCounter('svc.process.cpu.time', { unit: 's', description: 'Processor time, by mode.' })
    .addCallback((result) => {
      const { user, system } = process.cpuUsage();
      result.observe(user / 1e6, { mode: 'user' });
      result.observe(system / 1e6, { mode: 'system' });
    });
  meter
    .createObservableGauge('svc.process.uptime', { unit: 's', description: 'Time since the start.' })
    .addCallback((result) => result.observe(process.uptime()));
  return () => {
    clearInterval(forget);
    delay.disable();
  };
}
