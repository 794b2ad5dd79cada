import type { TenantId } from '#kernel';
import type { ExportPoint } from './result-points.ts';

/** Points of one tenant that go in one request. */
export interface Packet {
  tenant: TenantId;
  points: ExportPoint[];
}

export interface ExportQueue {
  /** Over the bound the oldest of whoever has most waiting go: a flood of one tenant costs itself. Gives what went. */
  add(tenant: TenantId, points: readonly ExportPoint[]): Packet[];
  /** The next tenant's oldest; each tenant has its turn. */
  take(): Packet | undefined;
  /** Back to the front, for a request that may be made again. Gives what went over the bound. */
  putBack(packet: Packet): Packet[];
  /** Points that wait, of one tenant or of all. */
  size(tenant?: TenantId): number;
}

interface Line {
  packets: Packet[];
  points: number;
}

/** Waits in memory alone: what a process had not sent when it ended is gone. */
export function createExportQueue({ maxPoints, packetPoints }: { maxPoints: number; packetPoints: number }): ExportQueue {
  // In the order of their turns.
  const lines = new Map<TenantId, Line>();
  let total = 0;

  const lineOf = (tenant: TenantId): Line => {
    const line = lines.get(tenant) ?? { packets: [], points: 0 };
    lines.set(tenant, line);
    return line;
  };
  const shift = (tenant: TenantId, line: Line): Packet | undefined => {
    const packet = line.packets.shift();
    if (!packet) return undefined;
    line.points -= packet.points.length;
    total -= packet.points.length;
    if (line.packets.length === 0) lines.delete(tenant);
    return packet;
  };
  const trim = (): Packet[] => {
    const gone: Packet[] = [];
    while (total > maxPoints) {
      const [tenant, line] = [...lines].reduce((most, one) => (one[1].points > most[1].points ? one : most));
      const packet = shift(tenant, line);
      if (packet) gone.push(packet);
    }
    return gone;
  };

  return {
    add(tenant, points) {
      const line = lineOf(tenant);
      for (const point of points) {
        let last = line.packets.at(-1);
        if (!last || last.points.length >= packetPoints) {
          last = { tenant, points: [] };
          line.packets.push(last);
        }
        last.points.push(point);
      }
      if (line.packets.length === 0) lines.delete(tenant);
      line.points += points.length;
      total += points.length;
      return trim();
    },
    take() {
      const next = lines.entries().next().value;
      if (!next) return undefined;
      const [tenant, line] = next;
      const packet = shift(tenant, line);
      if (lines.delete(tenant)) lines.set(tenant, line);
      return packet;
    },
    putBack(packet) {
      const line = lineOf(packet.tenant);
      line.packets.unshift(packet);
      line.points += packet.points.length;
      total += packet.points.length;
      return trim();
    },
    size: (tenant) => (tenant === undefined ? total : (lines.get(tenant)?.points ?? 0)),
  };
}
