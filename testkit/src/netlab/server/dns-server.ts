import dgram from 'node:dgram';
import { answerQuery, type DnsTable, refuseQuery } from './dns-answer.ts';
import type { DnsSettings } from './server-settings.ts';

export interface DnsServer {
  /** By the family of the address that was asked at. */
  set(family: 4 | 6, settings: DnsSettings): void;
}

const NAT64_PREFIX = '64:ff9b::';

/** Answers on port 53 of both families out of a table. */
export function startDns(table: DnsTable, onReady: () => void): DnsServer {
  const settings: Record<4 | 6, DnsSettings> = { 4: {}, 6: {} };
  const socket = dgram.createSocket('udp6');
  socket.on('message', (query, peer) => {
    const { mode = 'ok', delayMs = 0, answer = '', lossRatio = 0 } = settings[peer.address.startsWith('::ffff:') ? 4 : 6];
    if (mode === 'silent' || Math.random() < lossRatio) return;
    const reply = replyTo(query, table, { mode, answer });
    if (reply) setTimeout(() => socket.send(reply, peer.port, peer.address), delayMs);
  });
  socket.bind(53, '::', onReady);
  return {
    set: (family, changed) => {
      settings[family] = { ...settings[family], ...changed };
    },
  };
}

function replyTo(query: Buffer, table: DnsTable, { mode, answer }: { mode: string; answer: string }): Buffer | undefined {
  switch (mode) {
    case 'nxdomain':
      return answerQuery(query, {});
    case 'servfail':
      return refuseQuery(query);
    case 'lying':
      return answerQuery(query, () => ({ v4: answer }));
    case 'dns64':
      return answerQuery(query, (name) => (table[name]?.v4 ? { v6: inNat64(table[name].v4) } : undefined));
    default:
      return answerQuery(query, table);
  }
}

/** 203.0.113.10 as 64:ff9b::cb00:710a. */
function inNat64(v4: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = v4.split('.').map(Number);
  return `${NAT64_PREFIX}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}
