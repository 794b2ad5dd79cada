import type { RunnerToken } from '@svc/contracts/tests/runner-api';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, tell } from '../../api.ts';
import { Button } from '../../ui/controls/controls.tsx';
import { ScrollX } from '../../ui/controls/scroll-x.tsx';
import { Time } from '../../ui/moments/time.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { ACTIONS, type Column, ColumnHeads, numeric } from '../../ui/table/column-heads.tsx';
import { RevokeDialog } from '../../ui/tokens/token-dialogs.tsx';
import { actorWords } from '../../ui/words/actor-words.ts';
import { formatCount, plural } from '../../ui/words/format.ts';

const COLUMNS: readonly Column[] = ['Name', 'Site', numeric('Used'), 'Created', 'By', 'State', ACTIONS];
const KEY = ['runners.listTokens'];
const STATES = { valid: 'valid', used_up: 'used up', expired: 'expired', revoked: 'revoked' } as const;

/** Tokens that enrol runners; only a hash of each is kept. Nothing stands there until the first one is created. */
export function RunnerTokens() {
  const list = useQuery({ queryKey: KEY, queryFn: ({ signal }) => ask('runners.listTokens', {}, signal) });
  const [revoking, setRevoking] = useState<RunnerToken>();
  if (list.isError && !list.data) return <Failure error={list.error} retry={() => void list.refetch()} />;
  const items = list.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section className="card" aria-labelledby="runner-tokens-h">
      <header>
        <h2 id="runner-tokens-h">Enrol tokens of runners</h2>
        <span className="s mute">{plural(items.length, 'token')}</span>
      </header>
      <ScrollX label="Enrol tokens of runners">
        <table>
          <ColumnHeads columns={COLUMNS} />
          <tbody>
            {items.map((token) => (
              <tr key={token.id} className={token.state === 'valid' ? undefined : 'gone'}>
                <td className="med">{token.name ?? 'the host’s name'}</td>
                <td className="soft">{token.site ?? 'none set'}</td>
                <td className="n">
                  {formatCount(token.used)} of {formatCount(token.uses)}
                </td>
                <td className="soft">
                  <Time at={token.created_at} />
                </td>
                <td className="soft">{actorWords(token.created_by)}</td>
                <td className="soft">
                  {STATES[token.state]}
                  {token.state === 'valid' ? (
                    <>
                      {' until '}
                      <Time at={token.expires_at} />
                    </>
                  ) : null}
                </td>
                <td className="n">
                  {token.state === 'valid' ? (
                    <Button look="plain" onClick={() => setRevoking(token)}>
                      Revoke
                    </Button>
                  ) : null}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
      {revoking ? (
        <RevokeDialog
          name={revoking.name ?? 'this token'}
          revoke={() => tell('runners.revokeToken', { id: revoking.id })}
          list={KEY}
          onClose={() => setRevoking(undefined)}
        >
          No further runner enrols with it. Runners that enrolled with it stay enrolled.
        </RevokeDialog>
      ) : null}
    </section>
  );
}
