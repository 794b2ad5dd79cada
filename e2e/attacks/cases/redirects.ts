import { expect } from 'vitest';
import { attack } from '../harness/attack.ts';
import { type Browser, openBrowser, signIn } from '../harness/browser.ts';
import { ownAddress } from '../harness/ground.ts';
import { newPerson } from '../harness/people.ts';

const EVIL = 'evil.example';
/** Each leads a browser away from here where it is sent on as it stands. */
const PLACES = [
  `//${EVIL}`,
  `https://${EVIL}/`,
  `/\\${EVIL}`,
  `/.//${EVIL}`,
  `/..//${EVIL}`,
  `/a/..//${EVIL}`,
  `/./\\${EVIL}`,
  `/%2e//${EVIL}`,
  `/%2e%2e//${EVIL}`,
  `/x/%2e%2e//${EVIL}`,
  `/\t/${EVIL}`,
  `/\n//${EVIL}`,
  `\\\\${EVIL}`,
  `javascript:alert(1)`,
  `/;//${EVIL}/../..//${EVIL}`,
];

const PER_ADDRESS = 5;

attack({
  name: 'signing in never ends at another host, whatever return_to says',
  surfaces: [
    'GET /auth/login',
    'GET /auth/callback',
    'GET /auth/oidc/interaction/:uid',
    'POST /auth/oidc/interaction/:uid',
    'GET /auth/oidc/*',
  ],
  cost: 'short',
  async run(ground) {
    const person = await newPerson(ground, ground.hostile, ['viewer']);
    const base = `https://localhost:${ground.doors.https.port}`;
    const led: string[] = [];
    let from = '';
    const check = (browser: Browser, place: string) => {
      // Resolved as a browser does it.
      const last = browser.lastLocation();
      if (last === '' || new URL(last, base).host !== new URL(base).host) led.push(`${JSON.stringify(place)} -> ${last}`);
    };
    for (const [i, place] of PLACES.entries()) {
      if (i % PER_ADDRESS === 0) from = ownAddress();
      const browser = openBrowser(ground.doors.https, from);
      await signIn(browser, person, place);
      check(browser, place);
      // Signed in now: led on without the form.
      await browser.visit(`/auth/login?return_to=${encodeURIComponent(place)}`);
      check(browser, place);
    }
    expect(led).toEqual([]);
  },
});
