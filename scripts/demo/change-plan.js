// What other systems tell of in the demo, by the clock alone: whoever starts it again finds the same, and what was told of is told of once.
import { githubDeployment, githubOther, githubPush, gitlabDeployment } from './forge-bodies.js';
import { CHECKOUT_DOWN, MAIL_DOWN } from './targets.js';
import { STRETCH_MINUTES, STRETCHES } from './visits.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** A deploy is done so long before what it breaks is down. */
const BEFORE_MS = 50 * SECOND;
const PEOPLE = ['dayo', 'ines', 'jonas', 'mara'];
const personOf = (atMs) => PEOPLE[Math.floor(atMs / (7 * MINUTE)) % PEOPLE.length];

/** Webhooks by the names they have in the console; of the last one nothing is ever stored, and the dealers' has not come yet. */
export const HOOKS = {
  github: { name: 'Fennmark on GitHub', provider: 'forge_a' },
  gitlab: { name: 'Mail and network on GitLab', provider: 'forge_b' },
  calendar: { name: 'Change calendar', provider: 'generic' },
  old: { name: 'Former build server', provider: 'generic' },
  dealers: { name: 'Site of the dealers', provider: 'generic' },
};

/** GitLab's environments have no address there: where they are stands in the webhook's own table. */
export const RULES = {
  gitlab: [
    { repository: 'fennmark/mail', environment: '', path: '', target: 'mail.localhost', prefix: null },
    { repository: 'fennmark/network', environment: '', path: '', target: null, prefix: '10.64.32.0/20' },
  ],
};

const minuteOf = (atMs) => Math.floor(atMs / MINUTE);
const event = (hook, atMs, made) => ({ hook, atMs, key: `${hook} ${atMs} ${made.event ?? ''}`, ...made });

/** Created, in progress, done: three deliveries of one deployment. */
function deployOf({ repository, url, atMs, words }) {
  const of = { repository, id: minuteOf(atMs), createdMs: atMs, by: personOf(atMs), url };
  const told = [{ afterMs: 0 }, { afterMs: 2 * SECOND, state: 'in_progress' }, { afterMs: 40 * SECOND, state: 'success', words }];
  return told.map(({ afterMs, ...state }) =>
    event('github', atMs + afterMs, githubDeployment({ ...of, ...state, atMs: atMs + afterMs })),
  );
}

/** The deploy that breaks the checkout, and that another one takes its place once it is mended. */
function breakCheckout(downMs) {
  const url = 'http://checkout.localhost/';
  const createdMs = downMs - BEFORE_MS;
  const endMs = downMs + CHECKOUT_DOWN.of * MINUTE;
  const gone = { repository: 'checkout', id: minuteOf(createdMs), createdMs, by: personOf(createdMs), url };
  return [
    ...deployOf({ repository: 'checkout', url, atMs: createdMs, words: 'Ask the payment provider before the basket' }),
    event('github', endMs, githubDeployment({ ...gone, atMs: endMs, state: 'inactive', words: 'Rolled back' })),
  ];
}

function breakMail(downMs) {
  const of = {
    project: 'mail',
    id: minuteOf(downMs),
    by: personOf(downMs),
    words: 'Drop connections without a greeting in time',
  };
  return [
    { atMs: downMs - BEFORE_MS, status: 'running' },
    { atMs: downMs - 6 * SECOND, status: 'success' },
  ].map((told) => event('gitlab', told.atMs, gitlabDeployment({ ...of, ...told })));
}

/** Of a program of one's own: an entry as docs/changes/webhooks.md has it. */
const entry = (atMs, change) =>
  event('calendar', atMs, {
    body: {
      id: `${atMs} ${change.target ?? change.prefix ?? ''}`,
      occurred_at: new Date(atMs).toISOString(),
      actor: personOf(atMs),
      ...change,
    },
  });

/** What changes where people pay, as tests and visitors come to see it. */
function changePay(stretchMs) {
  const index = Math.floor(stretchMs / MINUTE / STRETCH_MINUTES) % STRETCHES.length;
  const { testsFail, usersHurt } = STRETCHES[index];
  const before = STRETCHES[(index + STRETCHES.length - 1) % STRETCHES.length];
  const atMs = stretchMs - BEFORE_MS;
  if (testsFail && !before.testsFail)
    return [
      entry(atMs, {
        kind: 'config',
        title: 'Payments: use the second data centre of the provider',
        target: 'http://pay.localhost/',
      }),
    ];
  if (usersHurt && !before.usersHurt)
    return [
      entry(atMs, { kind: 'release', title: 'Web bundle with the new basket', target: 'pay.localhost', ref: `2026.${index}` }),
    ];
  return [];
}

/** Changes that break nothing: elsewhere, long before, or of nothing that is measured. */
const DECOYS = [
  {
    every: 40 * MINUTE,
    at: 3 * MINUTE,
    make: (atMs) => deployOf({ repository: 'search', url: 'https://search.fennmark.example/', atMs, words: 'Rank by stock' }),
  },
  {
    every: 25 * MINUTE,
    at: 4 * MINUTE,
    make: (atMs) => [
      event(
        'github',
        atMs,
        githubPush({ repository: 'handbook', atMs, by: personOf(atMs), message: 'Say who is on call', files: ['on-call.txt'] }),
      ),
    ],
  },
  { every: 50 * MINUTE, at: 5 * MINUTE, make: (atMs) => [event('github', atMs, githubOther('workflow_run'))] },
  {
    every: 90 * MINUTE,
    at: 35 * MINUTE,
    make: (atMs) => [
      entry(atMs, {
        kind: 'route',
        title: 'Desks of Berlin leave by line 2',
        prefix: '10.64.32.0/20',
        summary: 'MTU 1,400 on that line.',
      }),
    ],
  },
  {
    every: 2 * HOUR,
    at: 50 * MINUTE,
    make: (atMs) => [
      entry(atMs, { kind: 'config', title: 'Answers of the basket are kept for 60 s', target: 'checkout.localhost' }),
    ],
  },
  {
    every: 4 * HOUR,
    at: 70 * MINUTE,
    make: (atMs) => [entry(atMs, { kind: 'iac', title: 'One host more for the mail', target: 'mail.localhost' })],
  },
  {
    every: 6 * HOUR,
    at: 100 * MINUTE,
    make: (atMs) => [entry(atMs, { kind: 'config', title: 'New sign-in of the CRM', target: 'https://crm.fennmark.example/' })],
  },
  {
    // One entry of two is no change: the console says why.
    every: 3 * HOUR,
    at: 20 * MINUTE,
    make: (atMs) => [
      event('calendar', atMs, {
        body: [
          {
            id: `${atMs} docs`,
            title: 'Documents move to the new store',
            occurred_at: new Date(atMs).toISOString(),
            target: 'docs.fennmark.example',
          },
          { id: `${atMs} none`, occurred_at: new Date(atMs).toISOString() },
        ],
      }),
    ],
  },
];

/** Moments `every` so long, `at` so much after its beginning, within a span. */
function momentsIn({ fromMs, toMs }, { every, at = 0 }) {
  const first = Math.ceil((fromMs - at) / every) * every + at;
  return Array.from({ length: Math.max(0, Math.ceil((toMs - first) / every)) }, (_, index) => first + index * every);
}

/** A day holds so many deploys of a checkout that breaks each ten minutes that nobody would find another change. */
const CHECKOUT_PAST_MS = 2 * HOUR;

/**
 * What is told of in a span, in order; of the checkout only the last hours before `nowMs`.
 * @param {{ fromMs: number, toMs: number, nowMs: number }} span
 */
export function planChanges({ fromMs, toMs, nowMs }) {
  // What breaks something is told of before it does.
  const wide = { fromMs: fromMs - HOUR, toMs: toMs + HOUR };
  const checkout = { ...wide, fromMs: Math.max(wide.fromMs, nowMs - CHECKOUT_PAST_MS) };
  const down = ({ every }) => ({ every: every * MINUTE });
  return [
    ...momentsIn(checkout, down(CHECKOUT_DOWN)).flatMap(breakCheckout),
    ...momentsIn(wide, down(MAIL_DOWN)).flatMap(breakMail),
    ...momentsIn(wide, { every: STRETCH_MINUTES * MINUTE }).flatMap(changePay),
    ...DECOYS.flatMap(({ make, ...when }) => momentsIn(wide, when).flatMap(make)),
  ]
    .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
    .sort((a, b) => a.atMs - b.atMs || a.key.localeCompare(b.key));
}

/** Of the shop's own story: its traces fail with that version of checkout, for twelve minutes three hours before the demo's first start. */
export const planShop = (nowMs) =>
  [
    { beforeMin: 181, title: 'Service checkout 2.14.0', ref: '2.14.0' },
    { beforeMin: 168, title: 'Service checkout back to 2.13.4', ref: '2.13.4' },
  ].map(({ beforeMin, ...change }) => entry(nowMs - beforeMin * MINUTE, { kind: 'deploy', target: 'checkout', ...change }));

/** The former build server still signs by a secret that was taken from it, or not at all: nothing of it is stored. */
export const planRefused = ({ fromMs, toMs }) =>
  momentsIn({ fromMs, toMs }, { every: 7 * MINUTE, at: MINUTE }).map((atMs) => ({
    ...{ hook: 'old', atMs, key: `old ${atMs}`, isSigned: minuteOf(atMs) % 3 !== 0 },
    body: { title: 'Nightly build', kind: 'release', occurred_at: new Date(atMs).toISOString() },
  }));
