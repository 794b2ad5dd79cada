import { fileURLToPath } from 'node:url';
import type { Reading } from '@svc/native/reading';

const PROGRAM = fileURLToPath(new URL('measure-child.ts', import.meta.url));

interface Output<T> {
  readonly results: T[];
  readonly uid: number;
  /** CPU time of the last measurement, module loading left out. */
  readonly lastCpuMs: number;
}

type LabNode = 'client' | 'r1' | 'r2' | 'r3';
type Exec = (
  node: LabNode,
  argv: readonly string[],
  options?: { uid?: number },
) => Promise<{ code: number | null; stdout: string; stderr: string }>;

/** Runs a measurement on the lab's client as an ordinary user. */
export async function measureInLab<T>(lab: { exec: Exec }, kind: string, request: object): Promise<Output<T>> {
  const { code, stdout, stderr } = await lab.exec('client', [process.execPath, PROGRAM, kind, JSON.stringify(request)]);
  if (code !== 0) throw new Error(`${kind} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Home routers hand out a public prefix in IPv6: then the gateway itself answers from a public address. */
export async function giveGlobalIpv6(lab: { exec: Exec }): Promise<void> {
  const commands: [LabNode, string][] = [
    ['client', 'addr add 2001:db8:77::2/64 dev eth0 nodad'],
    ['r1', 'addr add 2001:db8:77::1/64 dev inner nodad'],
    ['r2', 'route add 2001:db8:77::/64 via 2001:db8:1::1'],
    ['r3', 'route add 2001:db8:77::/64 via 2001:db8:2::1'],
  ];
  for (const [node, command] of commands) {
    const { code, stderr } = await lab.exec(node, ['ip', ...command.split(' ')], { uid: 0 });
    if (code !== 0) throw new Error(stderr);
  }
}

/** The value of a reading that must be there. */
export function present<T>(reading: Reading<T> | undefined): T {
  if (!reading || !('value' in reading)) throw new Error(`not measured: ${JSON.stringify(reading)}`);
  return reading.value;
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

export interface ReportedHop {
  readonly hop: number;
  readonly address: string | null;
  readonly lossRatio: number;
  readonly rttMinMs: number;
}

/** Hops out of `traceroute -n`. */
export function parseTraceroute(output: string): ReportedHop[] {
  return output.split('\n').flatMap((line) => {
    const found = /^\s*(\d+)\s+(.*)$/.exec(line);
    if (!found?.[1] || !found[2]) return [];
    const rtts = [...found[2].matchAll(/([\d.]+) ms/g)].map((match) => Number(match[1]));
    const lost = [...found[2].matchAll(/\*/g)].length;
    const address = /[\da-f.:]{4,}(?=\s|$)/.exec(found[2])?.[0] ?? null;
    return [{ hop: Number(found[1]), address, lossRatio: lost / (lost + rtts.length), rttMinMs: Math.min(...rtts) }];
  });
}

/** Hops out of `mtr --json`. */
export function parseMtr(output: string): ReportedHop[] {
  const { report } = JSON.parse(output) as { report: { hubs: { count: number; host: string; 'Loss%': number; Best: number }[] } };
  return report.hubs.map((hub) => ({ hop: hub.count, address: hub.host, lossRatio: hub['Loss%'] / 100, rttMinMs: hub.Best }));
}
