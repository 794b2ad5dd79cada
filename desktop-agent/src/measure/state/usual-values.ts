/**
 * What is usual on the present network: fibre and satellite are not measured by one number. Values of one network say nothing about
 * another; nothing of it leaves the device.
 */
export interface UsualValues {
  /** The network that is joined now, by a fingerprint that only this device can make; undefined: none, or not known. */
  enter(network: string | undefined): void;
  /** A value that was measured now, such as `gateway` in ms. */
  note(key: string, value: number): void;
  /** The median of the hourly medians of the last seven days, without the present hour; undefined before there are enough of them. */
  usual(key: string): number | undefined;
  /** What is kept, for a file. */
  keep(): KeptUsual;
}

/** Hour of Unix time and median of its values, oldest first. */
export type HourMedian = readonly [hour: number, median: number];
export interface KeptUsual {
  readonly version: 1;
  readonly networks: readonly {
    readonly id: string;
    readonly seenHour: number;
    readonly values: Readonly<Record<string, readonly HourMedian[]>>;
  }[];
}

const HOUR_MS = 3_600_000;
const MAX_HOURS = 7 * 24;
/** Fewer hours are a moment rather than a habit. */
const LEAST_HOURS = 5;
const MAX_NETWORKS = 20;
const MAX_KEYS = 128;
/** One hour at the fastest cadence; more tell no more. */
const MAX_VALUES = 120;

interface Network {
  seenHour: number;
  values: Map<string, HourMedian[]>;
}

interface Present {
  hour: number;
  values: Map<string, number[]>;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/** A clock that jumped back leaves hours of the future: they are dropped with the old ones. */
const withinWeek = (hours: readonly HourMedian[], hour: number): HourMedian[] =>
  hours.filter(([at]) => at <= hour && at > hour - MAX_HOURS);

function load(kept: KeptUsual | undefined): Map<string, Network> {
  const loaded = (kept?.networks ?? []).map(({ id, seenHour, values }) => {
    const all = Object.entries(values).map(([key, hours]): [string, HourMedian[]] => [key, [...hours]]);
    return [id, { seenHour, values: new Map<string, HourMedian[]>(all) }] as const;
  });
  return new Map(loaded);
}

/** `now`: Unix time, milliseconds. */
export function createUsualValues(now: () => number, kept?: KeptUsual): UsualValues {
  const networks = load(kept);
  let id: string | undefined;
  let present: Present = { hour: hourOf(now()), values: new Map() };

  /** The hour that is over becomes one median a key. */
  function close(): void {
    const network = id === undefined ? undefined : networks.get(id);
    for (const [key, values] of present.values) {
      if (!network || (network.values.size >= MAX_KEYS && !network.values.has(key))) continue;
      const earlier = withinWeek(network.values.get(key) ?? [], present.hour).filter(([at]) => at !== present.hour);
      network.values.set(key, [...earlier, [present.hour, Math.round(median(values) * 10) / 10]]);
    }
    present = { hour: hourOf(now()), values: new Map() };
  }

  function forgetOldest(): void {
    while (networks.size > MAX_NETWORKS) {
      const [oldest] = [...networks].toSorted(([, a], [, b]) => a.seenHour - b.seenHour);
      if (oldest) networks.delete(oldest[0]);
    }
  }

  return {
    enter(network) {
      if (network === id) return;
      close();
      id = network;
      if (network === undefined) return;
      const known = networks.get(network);
      networks.set(network, { seenHour: hourOf(now()), values: known?.values ?? new Map() });
      forgetOldest();
    },
    note(key, value) {
      if (id === undefined || !Number.isFinite(value)) return;
      if (hourOf(now()) !== present.hour) close();
      const values = present.values.get(key) ?? [];
      if (values.length < MAX_VALUES) values.push(value);
      if (present.values.size < MAX_KEYS || present.values.has(key)) present.values.set(key, values);
    },
    usual(key) {
      const hours = id === undefined ? undefined : networks.get(id)?.values.get(key);
      const known = withinWeek(hours ?? [], hourOf(now())).filter(([at]) => at !== hourOf(now()));
      return known.length < LEAST_HOURS ? undefined : median(known.map(([, value]) => value));
    },
    keep() {
      return {
        version: 1,
        networks: [...networks].map(([network, { seenHour, values }]) => ({
          id: network,
          seenHour,
          values: Object.fromEntries(values),
        })),
      };
    },
  };
}

const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS);
