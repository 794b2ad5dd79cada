import { chromium as downloaded } from '@playwright/test';
import lighthouse, { type Flags, snapshot } from 'lighthouse';
import puppeteer, { type Page } from 'puppeteer-core';
import { chromium } from '../env.ts';
import type { Session } from '../stack/demo.ts';

const ARGS = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
];

const AT_A_DESK: Flags = {
  formFactor: 'desktop',
  screenEmulation: { mobile: false, width: 1440, height: 1200, deviceScaleFactor: 1, disabled: false },
  logLevel: 'error',
};

export interface Reviewer {
  /** Opens a page and waits for its heading; gives what Lighthouse finds wrong for people, by its name; empty is a score of 100. */
  findInaccessible(address: string): Promise<{ score: number; faults: string[] }>;
  /** A whole load as Lighthouse measures it at a desk: its score of 0 to 100. */
  measurePerformance(address: string): Promise<number>;
  close(): Promise<void>;
}

const percent = (score: number | null | undefined): number => Math.round((score ?? 0) * 100);

async function findInaccessible(page: Page, address: string): Promise<{ score: number; faults: string[] }> {
  await page.goto(address);
  await page.waitForSelector('main h1');
  await page.waitForFunction(() => document.querySelector('main .ghost, main [aria-busy=true]') === null);
  const flags: Flags = { ...AT_A_DESK, onlyCategories: ['accessibility'], disableFullPageScreenshot: true };
  const result = await snapshot(page, { flags });
  if (!result) throw new Error(`Lighthouse gave nothing for ${address}.`);
  const { categories, audits } = result.lhr;
  const counted = categories.accessibility?.auditRefs.filter(({ weight }) => weight > 0) ?? [];
  const failed = counted.map(({ id }) => audits[id]).filter((audit) => audit && audit.score !== null && audit.score < 1);
  return { score: percent(categories.accessibility?.score), faults: failed.map((audit) => `${audit?.id}: ${audit?.title}`) };
}

async function measurePerformance(page: Page, address: string): Promise<number> {
  const flags: Flags = { ...AT_A_DESK, onlyCategories: ['performance'], throttlingMethod: 'provided' };
  const result = await lighthouse(address, flags, undefined, page);
  return percent(result?.lhr.categories.performance?.score);
}

/** A Chromium of its own, signed in; Lighthouse speaks to it by way of Puppeteer alone. */
export async function startReviewer(session: Session): Promise<Reviewer> {
  const browser = await puppeteer.launch({
    executablePath: chromium ?? downloaded.executablePath(),
    args: ARGS,
    acceptInsecureCerts: true,
    defaultViewport: { width: 1440, height: 1200 },
  });
  await browser.setCookie(...session.cookies);
  const page = await browser.newPage();
  // What is waited for below is evaluated in the page.
  await page.setBypassCSP(true);
  return {
    findInaccessible: (address) => findInaccessible(page, address),
    measurePerformance: (address) => measurePerformance(page, address),
    close: () => browser.close(),
  };
}
