import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { findBarriers } from '../../testing/accessibility.ts';
import { device, devicePage, noViews, shellAnswers } from '../../testing/examples.ts';
import { type Answers, type FakeServer, Refusal, SILENCE } from '../../testing/fake-server.ts';
import { openPage } from '../../testing/show.tsx';

const answers: Answers = { ...shellAnswers, 'savedViews.list': noViews, 'endpoint.list': devicePage([device('ana-laptop')]) };
/** A single failure is not worth a word: the second one comes a second later. */
const SLOW = { timeout: 5_000 };

const row = () => page.getByRole('row', { name: /ana-laptop/ });
const banner = (words = /Shown as of/) => page.getByRole('status').filter({ hasText: words });

/** A page with its answer on screen, of which the reader then asks something else while `refusal` is all that comes. */
async function loseServer(refusal: typeof SILENCE | Refusal): Promise<FakeServer> {
  const { server } = await openPage('/fleet', answers);
  await expect.element(row()).toBeVisible();
  server.answer({ 'endpoint.list': refusal, 'endpoint.summary': refusal });
  await page.getByRole('columnheader', { name: 'Gateway ms' }).getByRole('button').click();
  return server;
}

it('is not there while the server answers', async () => {
  await openPage('/fleet', answers);
  await expect.element(row()).toBeVisible();
  await expect.element(banner()).not.toBeInTheDocument();
});

it('says since when the shown is old and that the last change waits, and the rows stay', async () => {
  await loseServer(SILENCE);
  const words = /^Shown as of .+; the server has not answered since\. Your last change takes effect when it answers\.$/;
  await expect.element(banner(words), SLOW).toBeVisible();
  await expect.element(row()).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('gives the words of a server that is there and refuses', async () => {
  await loseServer(new Refusal('unavailable', 'The column store is away.'));
  await expect.element(banner(/; since then the server says: The column store is away\./), SLOW).toBeVisible();
});

it('goes at "Try now" once the server answers, and says so to whoever listens', async () => {
  const server = await loseServer(SILENCE);
  await expect.element(banner(), SLOW).toBeVisible();
  server.answer(answers);
  await page.getByRole('button', { name: 'Try now' }).click();
  await expect.element(banner(), SLOW).not.toBeInTheDocument();
  await expect.element(page.getByText('The server answers again. What is shown is current.')).toBeInTheDocument();
});
