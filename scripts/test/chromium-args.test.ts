import { chromium } from '@playwright/test';
import { expect, test } from 'vitest';
import { CHROMIUM_ARGS, OFF_BY_PLAYWRIGHT } from './chromium-args.ts';

test('the features that tests switch off are those of Playwright and some more', async () => {
  // Node is no browser: it refuses what it is started with, and the refusal holds that.
  const refusal = await chromium.launch({ executablePath: process.execPath }).catch(String);
  const playwrights = /--disable-features=(\S+)/.exec(String(refusal))?.[1]?.split(',');
  expect(OFF_BY_PLAYWRIGHT.toSorted()).toEqual(playwrights?.toSorted());
  expect(CHROMIUM_ARGS.filter((arg) => arg.startsWith('--disable-features='))).toHaveLength(1);
});
