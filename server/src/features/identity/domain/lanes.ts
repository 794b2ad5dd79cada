/** Who asks for a work. It is in two lanes: that of its site and that of its account. */
export interface Asker {
  site: string;
  account: string;
  /** The account was proven from this site before. */
  isKnown: boolean;
}

interface Lane {
  running: number;
  waiting: number;
  /** When it came, or when its last work started, whichever is later: the lowest is next. */
  turn: number;
}

const EMPTY: Readonly<Lane> = { running: 0, waiting: 0, turn: 0 };

/** The lanes of sites and of accounts that have something running or waiting. */
export class Lanes {
  private readonly sites = new Map<string, Lane>();
  private readonly accounts = new Map<string, Lane>();
  private turns = 0;

  siteOf = ({ site }: Asker): Readonly<Lane> => this.sites.get(site) ?? EMPTY;
  accountOf = ({ account }: Asker): Readonly<Lane> => this.accounts.get(account) ?? EMPTY;

  wait(asker: Asker): void {
    this.turns += 1;
    this.change(asker, (lane) => {
      lane.waiting += 1;
    });
  }

  giveUp(asker: Asker): void {
    this.change(asker, (lane) => {
      lane.waiting -= 1;
    });
  }

  start(asker: Asker): void {
    this.turns += 1;
    this.change(asker, (lane) => {
      lane.running += 1;
      lane.turn = this.turns;
    });
  }

  end(asker: Asker): void {
    this.change(asker, (lane) => {
      lane.running -= 1;
    });
  }

  /** The turn of one is before that of the other: it is the later of its two lanes' turns that counts. */
  isBefore(one: Asker, other: Asker): boolean {
    const [site, account] = [this.siteOf(one).turn, this.accountOf(one).turn];
    const [otherSite, otherAccount] = [this.siteOf(other).turn, this.accountOf(other).turn];
    const [turn, otherTurn] = [Math.max(site, account), Math.max(otherSite, otherAccount)];
    return turn === otherTurn ? account < otherAccount : turn < otherTurn;
  }

  private change({ site, account }: Asker, apply: (lane: Lane) => void): void {
    for (const [lanes, key] of [
      [this.sites, site],
      [this.accounts, account],
    ] as const) {
      const lane = lanes.get(key) ?? { ...EMPTY, turn: this.turns };
      apply(lane);
      if (lane.running + lane.waiting > 0) lanes.set(key, lane);
      else lanes.delete(key);
    }
  }
}
