import './first-run.css';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, tell } from '../../../api.ts';
import { Button, Field } from '../../../ui/controls.tsx';
import { Copyable } from '../../../ui/dialogs.tsx';
import { Dialog } from '../../../ui/floating.tsx';
import { formatMoment, plural } from '../../../ui/format.ts';

/** The command for another device, made with a token when asked for: the token is shown this once. */
export function EnrolPanel({ look = 'default' }: { look?: 'default' | 'primary' }) {
  const address = useQuery({ queryKey: ['fleet.enrolCommand'], queryFn: ({ signal }) => ask('fleet.enrolCommand', {}, signal) });
  const [uses, setUses] = useState('1');
  const [site, setSite] = useState('');
  const create = useMutation({
    mutationFn: () =>
      tell('fleet.enrolTokens.create', {
        uses: Number(uses),
        expires_in_hours: 24,
        ...(site.trim() ? { site: site.trim() } : {}),
      }),
  });
  const made = create.data;
  const usesValid = /^\d{1,6}$/.test(uses) && Number(uses) >= 1 && Number(uses) <= 100_000;
  return (
    <div className="enrol">
      {made ? (
        <>
          <Copyable text={made.command} prompt />
          <p className="s soft">
            For {plural(made.enrol_token.uses, 'device')}, until {formatMoment(made.enrol_token.expires_at, Date.now())}; the
            token is not shown again. It first prints what it collects and what it never does, before anything is sent.
          </p>
        </>
      ) : (
        <>
          <div className="cmd">
            <code>
              <span className="pr">$ </span>
              {address.data?.command ?? ' '}
            </code>
            <Button
              look={look}
              busy={create.isPending}
              unavailable={usesValid ? undefined : 'Give 1 to 100,000 devices'}
              onClick={() => create.mutate()}
            >
              Make the token
            </Button>
          </div>
          <div className="formgrid">
            <Field
              label="For how many devices"
              inputMode="numeric"
              value={uses}
              error={usesValid ? undefined : '1 to 100,000'}
              onChange={(event) => setUses(event.currentTarget.value)}
            />
            <Field
              label="Site (optional)"
              value={site}
              maxLength={128}
              placeholder="Lisbon, floor 3"
              onChange={(event) => setSite(event.currentTarget.value)}
            />
          </div>
        </>
      )}
      {create.error ? (
        <p className="err" role="alert">
          {create.error.message}
        </p>
      ) : null}
      {address.error ? <p className="err">{address.error.message}</p> : null}
      {address.data && !address.data.reachable ? (
        <p className="note s">
          {address.data.server} names only this machine. Set SVC_PUBLIC_URL to an address that the other device can reach, then
          start again.
        </p>
      ) : null}
    </div>
  );
}

/** The same in a dialog, from the fleet's head. */
export function EnrolDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open title="Enrol a device" onClose={onClose} size={680}>
      <p className="soft">
        Run this on the device. It needs Node 20.19 or newer and a checkout of this project; packages come later.
      </p>
      <EnrolPanel look="primary" />
    </Dialog>
  );
}
