import { type APIRequestContext, expect } from '@playwright/test';
import { test as demoTest, type Person as Role } from '../stack/demo.ts';
import { createPerson, type Person } from './person.ts';
import type { Task } from './tasks.ts';

export interface Seat {
  person: Person;
  /** Where the console is. */
  url: string;
  /** What the API answers to the same person: the truth that the page is held against. */
  ask<Answer>(procedure: string, input: object): Promise<Answer>;
  /** A change that is none of the person's own: what a test prepares or clears away. */
  tell<Answer>(procedure: string, input: object): Promise<Answer>;
}

/** Answers of procedures, read with the session of whoever sits there. */
function createAsk(request: APIRequestContext, url: string): Pick<Seat, 'ask' | 'tell'> {
  const read = async (answer: Awaited<ReturnType<APIRequestContext['get']>>): Promise<never> => {
    if (!answer.ok()) throw new Error(`${answer.url()} was answered ${answer.status()}: ${await answer.text()}`);
    return ((await answer.json()) as { result: { data: never } }).result.data;
  };
  return {
    ask: async (procedure, input) =>
      read(await request.get(`${url}/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`)),
    tell: async (procedure, input) =>
      read(await request.post(`${url}/trpc/${procedure}`, { data: input, headers: { origin: url } })),
  };
}

interface Options {
  /** Whose session the browser holds. */
  role: Role;
}

/** Tests over the demo tenant with somebody of a role signed in, who has just opened the console. */
export const test = demoTest.extend<Options & { seat: Seat }>({
  role: ['it_admin', { option: true }],
  storageState: async ({ demo, role }, use) => use(demo.people[role]),
  seat: async ({ demo, page }, use) => {
    await page.goto(demo.url);
    await expect(page.getByRole('region', { name: 'Devices' }).getByRole('row').nth(1)).toBeVisible();
    await use({ person: createPerson(page), url: demo.url, ...createAsk(page.request, demo.url) });
  },
});

/** A task that is done from the page after sign-in, in the steps that docs/console/tasks.md lists. */
export const play =
  (task: Task, act: (seat: Seat) => Promise<void>) =>
  async ({ seat }: { seat: Seat }): Promise<void> => {
    await act(seat);
    const steps = seat.person.steps();
    test.info().annotations.push({ type: 'steps', description: `${steps} of at most ${task.bound}` });
    expect(steps, 'within the published bound').toBeLessThanOrEqual(task.bound);
    expect(steps, 'as published in docs/console/tasks.md').toBe(task.steps);
  };
