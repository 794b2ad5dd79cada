import type { Device, Fault } from './device.ts';
import { FLEET_GROUPS, type FleetGroup, sizeGroups } from './fleet-groups.ts';
import { createRandom, hashOf, type Random } from './random.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const PEOPLE: Readonly<Record<FleetGroup['prefix'], readonly string[]>> = {
  LIS: ['nuno', 'joao', 'marta', 'tomas', 'diogo', 'rita', 'carla', 'sofia', 'helena', 'paula', 'ines', 'rui', 'tiago', 'ana'],
  TLS: ['claire', 'luc', 'anais', 'hugo', 'ines', 'camille', 'jules', 'manon', 'theo', 'lea', 'louis', 'chloe'],
  KRK: ['pawel', 'ewa', 'adam', 'marek', 'kasia', 'piotr', 'zofia', 'tomasz', 'ola', 'jan', 'magda', 'michal'],
  HAM: ['jonas', 'birgit', 'sven', 'katrin', 'lars', 'anke', 'uwe', 'heike', 'finn', 'greta', 'malte', 'silke'],
};
const SYSTEMS = [
  { os: 'Windows 11', osVersion: '24H2', arch: 'x64', model: 'ThinkPad T14' },
  { os: 'Windows 11', osVersion: '24H2', arch: 'x64', model: 'Latitude 5450' },
  { os: 'macOS 15', osVersion: '15.4', arch: 'arm64', model: 'MacBook Pro' },
  { os: 'Ubuntu 24.04', osVersion: '24.04.2', arch: 'x64', model: 'ThinkPad X1' },
] as const;
const AGENTS = [
  { version: '1.4.2', weight: 0.85, behind: 0 },
  { version: '1.4.1', weight: 0.09, behind: 0 },
  { version: '1.3.9', weight: 0.06, behind: 1 },
] as const;
/** Of a device that the server refuses for it. */
const REFUSED_VERSION = '1.2.7';
const FIRM = 'fennmark.example';
const urls = (...hosts: string[]): string[] => hosts.map((host) => `https://${host}.${FIRM}/`);
/** What the devices measure sessions to; people of Hamburg work with the ERP. */
const TARGETS: Readonly<Record<FleetGroup['prefix'], readonly string[]>> = {
  LIS: urls('crm', 'mail', 'docs'),
  TLS: urls('crm', 'mail', 'docs'),
  KRK: urls('mail', 'docs', 'video'),
  HAM: urls('erp', 'mail', 'docs'),
};
/** Where every device traces to. */
export const TRACE_TARGET = `edge.${FIRM}`;

/** What a policy has to name so that it tells the truth about these devices: every target that one of them measures to. */
export const targetsOf = (fleet: readonly Device[]): { traceTargets: string[]; sessionTargets: string[] } => ({
  traceTargets: [TRACE_TARGET],
  sessionTargets: [...new Set(fleet.flatMap(({ targets }) => targets))].sort(),
});

const FAULTS: Readonly<Record<Fault['kind'], { fromMs: number; intermittent: boolean }>> = {
  weak_wifi: { fromMs: -5.4 * HOUR, intermittent: false },
  slow_isp: { fromMs: -2.8 * HOUR, intermittent: false },
  lossy_gateway: { fromMs: -22 * HOUR, intermittent: true },
  slow_saas: { fromMs: -3.6 * HOUR, intermittent: false },
  slow_unseen: { fromMs: -2.2 * HOUR, intermittent: false },
  slow_names: { fromMs: -1.7 * HOUR, intermittent: false },
  expired_certificate: { fromMs: -2.4 * HOUR, intermittent: false },
  lossy_path: { fromMs: -4.1 * HOUR, intermittent: false },
};

const isFault = (fate: FleetGroup['fate']): fate is Fault['kind'] => fate !== undefined && fate in FAULTS;

function agentOf(random: Random): Pick<Device, 'agentVersion' | 'protocolsBehind'> {
  let left = random.next();
  const agent = AGENTS.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
  const { version, behind } = agent ?? AGENTS[0];
  return { agentVersion: version, protocolsBehind: behind };
}

/** Laptops go home about 18:30 and come back about 09:00 of a day whose anchor is 14:07. */
function sleepOf(isLaptop: boolean, random: Random): Device['sleep'] {
  if (!isLaptop || random.next() < 0.3) return null;
  return { fromMs: -19.5 * HOUR + random.between(-60, 60) * MINUTE, toMs: -5.2 * HOUR + random.between(-70, 30) * MINUTE };
}

type Fate = Pick<Device, 'fault' | 'paused' | 'silentFromMs' | 'refusedFromMs' | 'declined' | 'withoutLocation'>;

function fateOf(fate: FleetGroup['fate'], at: number): Fate {
  return {
    fault: isFault(fate) ? { kind: fate, ...FAULTS[fate] } : null,
    paused: fate === 'paused' ? { fromMs: -(25 + 17 * at) * MINUTE, untilMs: (53 + 60 * at) * MINUTE } : null,
    silentFromMs: fate === 'silent' ? -(19.5 + at / 2) * HOUR : null,
    refusedFromMs: fate === 'refused' ? -1.5 * HOUR : null,
    declined: fate === 'declined',
    withoutLocation: fate === 'without_location',
  };
}

function systemOf({ fault, withoutLocation }: Fate, random: Random): (typeof SYSTEMS)[number] {
  // Windows 24H2 gives the Wi-Fi only to programs that may know the location.
  if (withoutLocation) return SYSTEMS[0];
  return fault?.kind === 'lossy_gateway' ? SYSTEMS[3] : random.pick(SYSTEMS);
}

/** Machines without a person before them have no face; drawn apart, so that the rest of a fleet stays as it was. */
const faceOf = (isLaptop: boolean, random: Random): Device['face'] => (!isLaptop && random.next() < 0.35 ? 'headless' : 'window');

interface Place {
  group: FleetGroup;
  /** Within its group. */
  at: number;
  /** Within the fleet. */
  index: number;
  number: number;
}

function makeDevice({ group, at, index, number }: Place, seed: number): Device {
  const random = createRandom(hashOf(seed, 'device', group.prefix, number));
  const isWired = random.next() >= group.wifi;
  const isLaptop = !isWired || random.next() < 0.2;
  const fate = fateOf(group.fate, at);
  const system = systemOf(fate, random);
  const person = random.pick(PEOPLE[group.prefix]);
  const initial = String.fromCharCode(97 + Math.floor(random.next() * 22));
  const gatewayRttMs = isWired ? random.between(0.6, 1.9) : random.between(2.2, 5.5);
  return {
    index,
    name: `${group.prefix}-${isLaptop ? 'LT' : 'DT'}-${String(number).padStart(4, '0')}`,
    owner: `${person}.${initial}@${FIRM}`,
    site: group.site,
    gateway: group.gateway,
    ispEdge: group.ispEdge,
    connection: isWired ? 'wired' : 'wifi',
    ssid: 'fennmark-corp',
    ...system,
    ...agentOf(random),
    ...(fate.refusedFromMs === null ? {} : { agentVersion: REFUSED_VERSION }),
    ...fate,
    sleep: group.fate === 'lossy_gateway' ? null : sleepOf(isLaptop, random),
    face: faceOf(isLaptop, createRandom(hashOf(seed, 'face', group.prefix, number))),
    strict: group.fate === undefined && random.next() < 0.03,
    percentOnly: group.fate === 'weak_wifi' && at === 7,
    targets: TARGETS[group.prefix],
    baseline: {
      rssiDbm: random.between(-64, -47),
      gatewayRttMs,
      ispRttMs: gatewayRttMs + random.between(4, 9),
      sessionMs: random.between(210, 420),
    },
  };
}

/** The fleet of a seed: the same seed and count give the same devices, and a larger count has the same mixture. */
export function planFleet(count: number, seed: number): Device[] {
  const numbers: Record<string, number> = { LIS: 2, TLS: 1, KRK: 4, HAM: 3 };
  const stride = createRandom(hashOf(seed, 'numbers'));
  const devices: Device[] = [];
  for (const [g, size] of sizeGroups(count).entries()) {
    const group = FLEET_GROUPS[g] as FleetGroup;
    for (let at = 0; at < size; at += 1) {
      const number = (numbers[group.prefix] ?? 0) + 1 + Math.floor(stride.next() * 2);
      numbers[group.prefix] = number;
      devices.push(makeDevice({ group, at, index: devices.length, number }, seed));
    }
  }
  return devices;
}
