import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { ApiError } from '../../api.ts';
import { findBarriers } from '../../testing/accessibility.ts';
import { show } from '../../testing/show.tsx';
import { CreateTokenDialog, RevokeDialog } from './token-dialogs.tsx';

function Example({ create, onClose = () => {} }: { create: () => Promise<string>; onClose?: () => void }) {
  const [name, setName] = useState('');
  return (
    <CreateTokenDialog
      title="Create token"
      action="Create"
      missing={name ? undefined : 'Give a name'}
      create={create}
      lists={[['identity.tokens.list']]}
      shown={{ title: 'Token created', words: 'It is not shown again.' }}
      onClose={onClose}
    >
      <label>
        Name <input value={name} onChange={(event) => setName(event.currentTarget.value)} />
      </label>
    </CreateTokenDialog>
  );
}

const create = () => page.getByRole('button', { name: 'Create', exact: true });

it('creates nothing while it is empty, and says what is missing', async () => {
  const call = vi.fn(async () => 'secret');
  await show(<Example create={call} />);
  await expect.element(create()).toHaveAttribute('title', 'Give a name');
  await page.getByLabelText('Name').click();
  await userEvent.keyboard('{Enter}');
  expect(call).not.toHaveBeenCalled();
  expect(await findBarriers()).toEqual([]);
});

it('is sent once while it waits, then shows the secret in its place', async () => {
  const answer = Promise.withResolvers<string>();
  const call = vi.fn(() => answer.promise);
  await show(<Example create={call} />);
  await page.getByLabelText('Name').fill('backup');
  await userEvent.keyboard('{Enter}{Enter}');
  expect(call).toHaveBeenCalledTimes(1);
  await expect.element(create()).toHaveAttribute('aria-busy', 'true');
  answer.resolve('svc_pat_example');
  await expect.element(page.getByRole('dialog', { name: 'Token created' })).toBeVisible();
  await expect.element(page.getByText('svc_pat_example')).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it.each([
  ['failed', 'conflict', 'A tenant has at most 1000 tokens. Revoke one first.'],
  ['is forbidden', 'forbidden', 'Your role cannot create tokens.'],
] as const)('says why it %s, keeps what was typed and takes another try', async (_how, code, message) => {
  const call = vi.fn(async (): Promise<string> => Promise.reject(new ApiError(code, message)));
  await show(<Example create={call} />);
  await page.getByLabelText('Name').fill('backup');
  await create().click();
  await expect.element(page.getByRole('alert')).toHaveTextContent(message);
  await expect.element(page.getByLabelText('Name')).toHaveValue('backup');
  expect(await findBarriers()).toEqual([]);
  call.mockResolvedValue('svc_pat_example');
  await create().click();
  await expect.element(page.getByText('svc_pat_example')).toBeVisible();
});

it('asks before a token is revoked, and stays open with the reason where that fails', async () => {
  const onClose = vi.fn();
  const revoke = vi.fn(async (): Promise<unknown> => Promise.reject(new ApiError('forbidden', 'Not yours.')));
  await show(
    <RevokeDialog name="backup" revoke={revoke} list={['identity.tokens.list']} onClose={onClose}>
      What uses it is refused from now on.
    </RevokeDialog>,
  );
  await expect.element(page.getByRole('dialog', { name: 'Revoke backup?' })).toBeVisible();
  expect(revoke).not.toHaveBeenCalled();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await expect.element(page.getByRole('alert')).toHaveTextContent('Not yours.');
  expect(onClose).not.toHaveBeenCalled();
  revoke.mockResolvedValue({});
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await expect.poll(() => onClose.mock.calls.length).toBe(1);
});
