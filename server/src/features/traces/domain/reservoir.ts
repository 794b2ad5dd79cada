/** A bounded sample of numbers, each as likely to be in it; the same numbers in the same order give the same sample. */
export interface Reservoir {
  readonly count: number;
  add(value: number): void;
  /** Between neighbours of the sample; undefined of none. Exact while all fitted in. */
  quantiles(levels: readonly number[]): (number | undefined)[];
}

function interpolate(sorted: readonly number[], level: number): number | undefined {
  const place = level * (sorted.length - 1);
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  return below === undefined || above === undefined ? undefined : below + (above - below) * (place - Math.floor(place));
}

export function createReservoir(size: number): Reservoir {
  const values: number[] = [];
  let count = 0;
  let state = 1;
  return {
    get count() {
      return count;
    },
    add(value) {
      count++;
      if (values.length < size) {
        values.push(value);
        return;
      }
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      const place = Math.floor((state / 4_294_967_296) * count);
      if (place < size) values[place] = value;
    },
    quantiles(levels) {
      const sorted = values.toSorted((a, b) => a - b);
      return levels.map((level) => interpolate(sorted, level));
    },
  };
}
