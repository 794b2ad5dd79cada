import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ask, tell } from '../../api.ts';
import { Button } from '../../ui/controls/controls.tsx';
import { ScrollX } from '../../ui/controls/scroll-x.tsx';
import { Time } from '../../ui/moments/time.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { ACTIONS, type Column, ColumnHeads } from '../../ui/table/column-heads.tsx';

const COLUMNS: readonly Column[] = ['Browser', 'Tenant', 'Signed in', 'Last seen', 'Ends', ACTIONS];

const KEY = ['identity.sessions.list'];

/** Where one is signed in; ending a session takes effect on its very next request. */
export function SessionsTab() {
  const queryClient = useQueryClient();
  const list = useQuery({ queryKey: KEY, queryFn: ({ signal }) => ask('identity.sessions.list', {}, signal) });
  const end = useMutation({
    mutationFn: (id: string) => tell('identity.sessions.revoke', { id }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: KEY }),
  });
  if (list.isError && !list.data) return <Failure error={list.error} retry={() => list.refetch()} />;
  return (
    <section className="card" aria-labelledby="sessions-h">
      <header>
        <h2 id="sessions-h">My sessions</h2>
        <span className="s mute">where you are signed in</span>
      </header>
      <ScrollX label="My sessions">
        <table>
          <ColumnHeads columns={COLUMNS} />
          <tbody>
            {(list.data?.items ?? []).map((session) => (
              <tr key={session.id}>
                <td className="med">
                  {session.client ?? 'unknown browser'} {session.current ? <span className="tag">this one</span> : null}
                </td>
                <td className="soft">{session.tenant}</td>
                <td className="soft">
                  <Time at={session.created_at} />
                </td>
                <td className="soft">
                  <Time at={session.last_seen_at} />
                </td>
                <td className="soft">
                  <Time at={session.expires_at} />
                </td>
                <td className="n">
                  {session.current ? null : (
                    <Button
                      look="plain"
                      busy={end.isPending && end.variables === session.id}
                      onClick={() => end.mutate(session.id)}
                    >
                      End
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
      {end.error ? <p className="err body">{end.error.message}</p> : null}
    </section>
  );
}
