/** A task of a person, with what it takes: each click, each typed field and each key is a step. */
export interface Task {
  task: string;
  who: 'IT admin' | 'Administrator' | 'SRE';
  steps: number;
  /** Where the console asks for more than this, it is to be mended. */
  bound: number;
}

/** In the order of docs/console/tasks.md, which holds the same. */
export const TASKS = {
  weakFloor: { task: 'Which devices of one floor have weak Wi-Fi, and since when?', who: 'IT admin', steps: 3, bound: 4 },
  slowLaptop: {
    task: 'Why is this laptop slow, what do I tell its user, and did it begin within the last hour?',
    who: 'IT admin',
    steps: 4,
    bound: 5,
  },
  slowOfSite: { task: 'Export the slow devices of one site and open the file', who: 'IT admin', steps: 4, bound: 5 },
  enrolLaptop: { task: 'Enrol a new laptop and see it in the fleet', who: 'IT admin', steps: 5, bound: 6 },
  whatIsSent: { task: 'What does this laptop send, what not, and who decided so?', who: 'IT admin', steps: 2, bound: 3 },
  tokenOfSender: {
    task: 'Who created the token that this sender uses, and is that recorded?',
    who: 'Administrator',
    steps: 4,
    bound: 5,
  },
  colleague: { task: 'Give a colleague read access, then take it away', who: 'Administrator', steps: 7, bound: 8 },
  slowestCheckout: {
    task: 'Which was the slowest checkout of the last hour, and what did it log?',
    who: 'SRE',
    steps: 4,
    bound: 5,
  },
  failingLink: {
    task: 'Which connection of the service map fails today, and what does a failed request show?',
    who: 'SRE',
    steps: 6,
    bound: 7,
  },
  failedVouchers: { task: 'Which requests with a voucher failed today, and how many?', who: 'SRE', steps: 8, bound: 9 },
} as const satisfies Record<string, Task>;
