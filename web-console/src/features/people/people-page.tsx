import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { meQuery } from '../../queries.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { MembersTab } from './members-tab.tsx';
import { RolesTab } from './roles-tab.tsx';
import { TokensTab } from './tokens-tab.tsx';

const route = getRouteApi('/people');

const TABS = [
  { tab: undefined, label: 'People' },
  { tab: 'tokens', label: 'API tokens' },
  { tab: 'roles', label: 'Roles' },
] as const;

/** Who may do what, and which token was used last? */
export function PeoplePage() {
  const { tab } = route.useSearch();
  const me = useQuery(meQuery).data;
  useEffect(() => {
    document.title = 'People and tokens';
  }, []);
  const may = me?.permissions.includes('member.write') ?? false;
  if (me && !may) {
    return (
      <EmptyState icon="lock" title="No permission">
        <p>Your role cannot manage people and tokens. An administrator can grant a role with member.write.</p>
      </EmptyState>
    );
  }
  return (
    <div className="page">
      <h1>People and tokens</h1>
      <nav className="tabs" aria-label="Parts of this page">
        {TABS.map((item) => (
          <Link
            key={item.label}
            to="/people"
            search={item.tab ? { tab: item.tab } : {}}
            aria-current={item.tab === tab ? 'page' : undefined}
            activeProps={{}}
          >
            {item.label}
          </Link>
        ))}
      </nav>
      {tab === undefined ? <MembersTab /> : null}
      {tab === 'tokens' ? <TokensTab /> : null}
      {tab === 'roles' ? <RolesTab /> : null}
    </div>
  );
}
