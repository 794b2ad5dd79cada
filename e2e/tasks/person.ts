import type { Locator, Page } from '@playwright/test';

/** Somebody at the console. What they do is counted; what they read is not. */
export interface Person {
  page: Page;
  /** Clicks, typed fields and keys so far. */
  steps(): number;
  click(what: Locator): Promise<void>;
  /** Types into a field, replacing what it held: one step, however long the text. */
  type(field: Locator, text: string): Promise<void>;
  press(key: string): Promise<void>;
}

/** Everything is found by what a person sees or hears: roles, labels and words. */
export function createPerson(page: Page): Person {
  let steps = 0;
  return {
    page,
    steps: () => steps,
    async click(what) {
      steps += 1;
      await what.click();
    },
    async type(field, text) {
      steps += 1;
      await field.fill(text);
    },
    async press(key) {
      steps += 1;
      await page.keyboard.press(key);
    },
  };
}

/** A page of the navigation. */
export const pageLink = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name });

/** The time range of the top bar: two steps. */
export async function chooseRange(person: Person, name: string): Promise<void> {
  const { page } = person;
  await person.click(page.getByRole('banner').getByRole('button', { name: /^Last / }));
  await person.click(page.getByRole('list', { name: 'Time shown' }).getByRole('button', { name }));
}
