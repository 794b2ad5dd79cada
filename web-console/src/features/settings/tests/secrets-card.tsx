import type { TestSecret } from '@svc/contracts/tests/keeping';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError, ask, tell } from '../../../api.ts';
import { Button, Field, IconButton } from '../../../ui/controls/controls.tsx';
import { ScrollX } from '../../../ui/controls/scroll-x.tsx';
import { ConfirmChange, FormDialog } from '../../../ui/dialogs/dialogs.tsx';
import { Time } from '../../../ui/moments/time.tsx';
import { refusalWords } from '../../../ui/permission/permission-words.ts';
import { useMay } from '../../../ui/permission/use-may.ts';
import { EmptyState, Ghost } from '../../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../../ui/placeholders/failure.tsx';
import { ACTIONS, type Column, ColumnHeads } from '../../../ui/table/column-heads.tsx';
import { actorWords } from '../../../ui/words/actor-words.ts';
import { plural } from '../../../ui/words/format.ts';

const KEY = ['tests.secrets.list'];
const COLUMNS: readonly Column[] = ['Name', 'May be sent to', 'Used by', 'Set', 'By', ACTIONS];
/** How a field of a test refers to a secret. */
const SECRET_FORM = `\${secret:NAME}`;
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** What tests may send and nobody may read: each is bound to the hosts it goes to. */
export function SecretsCard() {
  const list = useQuery({ queryKey: KEY, queryFn: ({ signal }) => ask('tests.secrets.list', {}, signal) });
  const unavailable = useMay('test.write') ? undefined : refusalWords('test.write');
  const [setting, setSetting] = useState<TestSecret | 'new'>();
  const [removing, setRemoving] = useState<TestSecret>();
  if (list.isError && !list.data) return <Failure error={list.error} retry={() => void list.refetch()} />;
  const items = list.data?.items;
  return (
    <section className="card" aria-labelledby="secrets-h">
      <header>
        <h2 id="secrets-h">Secrets of tests</h2>
        <span className="s mute">a value is never shown again</span>
        <span className="grow" />
        <Button icon="plus" unavailable={unavailable} onClick={() => setSetting('new')}>
          Add a secret
        </Button>
      </header>
      {items?.length === 0 ? (
        <EmptyState icon="key" title="No secret yet">
          <p>
            A test names one as <code className="mono">{SECRET_FORM}</code> in a header, a body or a step; the runner puts its
            value in when it sends, and only to the hosts that you name.
          </p>
        </EmptyState>
      ) : (
        <ScrollX label="Secrets of tests">
          <table>
            <ColumnHeads columns={COLUMNS} />
            <tbody>
              {items?.map((secret) => (
                <SecretRow
                  key={secret.name}
                  secret={secret}
                  mayWrite={unavailable === undefined}
                  onSet={() => setSetting(secret)}
                  onRemove={() => setRemoving(secret)}
                />
              )) ?? (
                <tr>
                  <td colSpan={COLUMNS.length}>
                    <Ghost width={420} says="Secrets, loading" />
                  </td>
                </tr>
              )}
            </tbody>
          </table>
        </ScrollX>
      )}
      {setting ? <SetSecret secret={setting === 'new' ? undefined : setting} onClose={() => setSetting(undefined)} /> : null}
      {removing ? (
        <ConfirmChange
          title={`Delete ${removing.name}?`}
          action="Delete"
          change={() => tell('tests.secrets.remove', { name: removing.name })}
          list={KEY}
          onClose={() => setRemoving(undefined)}
        >
          {removing.tests.length > 0
            ? `${plural(removing.tests.length, 'test')} that ${removing.tests.length === 1 ? 'refers' : 'refer'} to it cannot run any more.`
            : 'No test refers to it.'}
        </ConfirmChange>
      ) : null}
    </section>
  );
}

interface RowProps {
  secret: TestSecret;
  mayWrite: boolean;
  onSet: () => void;
  onRemove: () => void;
}

function SecretRow({ secret: { name, hosts, tests, updated_at, updated_by }, mayWrite, onSet, onRemove }: RowProps) {
  return (
    <tr>
      <td className="med mono">{name}</td>
      <td className="soft windowtimes">{hosts.join(', ')}</td>
      <td>
        {tests.length === 0 ? <span className="mute">no test</span> : null}
        {tests.slice(0, 2).map((test, index) => (
          <span key={test.id}>
            {index > 0 ? ', ' : ''}
            <Link to="/tests/$id" params={{ id: test.id }}>
              {test.name}
            </Link>
          </span>
        ))}
        {tests.length > 2 ? <span className="soft"> and {tests.length - 2} more</span> : null}
      </td>
      <td className="soft">
        <Time at={updated_at} />
      </td>
      <td className="soft">{actorWords(updated_by)}</td>
      <td className="n">
        {mayWrite ? (
          <>
            <IconButton icon="pencil" label={`Replace ${name}`} onClick={onSet} />
            <IconButton icon="trash" label={`Delete ${name}`} onClick={onRemove} />
          </>
        ) : null}
      </td>
    </tr>
  );
}

const hostsOf = (text: string): string[] => text.split(/[\s,]+/).filter((host) => host !== '');

/** What was typed into a secret's form is kept nowhere. */
function SetSecret({ secret, onClose }: { secret: TestSecret | undefined; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState(secret?.name ?? '');
  const [hosts, setHosts] = useState(secret?.hosts.join(', ') ?? '');
  const [value, setValue] = useState('');
  const save = useMutation({
    mutationFn: () => tell('tests.secrets.set', { name, hosts: hostsOf(hosts), ...(value === '' ? {} : { value }) }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: KEY });
      onClose();
    },
  });
  const faultAt = (path: string): string | undefined =>
    save.error instanceof ApiError ? save.error.faults.find((fault) => fault.path.split('.')[0] === path)?.message : undefined;
  let missing: string | undefined;
  if (!NAME.test(name)) missing = 'Give it a name of letters, digits, dot, dash and underscore';
  else if (hostsOf(hosts).length === 0) missing = 'Name a host';
  else if (!secret && value === '') missing = 'Type the value';
  return (
    <FormDialog
      title={secret ? `Replace ${secret.name}` : 'Add a secret'}
      action={secret ? 'Save' : 'Add secret'}
      busy={save.isPending}
      unavailable={missing}
      error={save.error?.message}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <Field
        label="Name"
        data-autofocus={secret ? undefined : true}
        disabled={secret !== undefined}
        maxLength={64}
        autoComplete="off"
        value={name}
        placeholder="SHOP_TOKEN"
        error={faultAt('name')}
        hint={`Tests refer to it as \${secret:${name || 'NAME'}}.`}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Field
        label="May be sent to"
        value={hosts}
        placeholder="shop.example, api.shop.example:8443"
        error={faultAt('hosts')}
        hint="Hosts, by commas. To no other host, whoever writes the test."
        onChange={(event) => setHosts(event.currentTarget.value)}
      />
      <Field
        label={secret ? 'New value (optional)' : 'Value'}
        type="password"
        autoComplete="new-password"
        value={value}
        error={faultAt('value')}
        hint={
          secret
            ? 'Empty: the value stays, and the hosts may only become fewer.'
            : 'Sealed when it is stored; a client certificate is its chain and key in PEM.'
        }
        onChange={(event) => setValue(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
