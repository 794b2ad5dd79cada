import { getRouteApi } from '@tanstack/react-router';
import { type Tab, Tabs } from '../../ui/controls/tabs.tsx';
import { MembersTab } from './members-tab.tsx';
import { RolesTab } from './roles-tab.tsx';
import { TokensTab } from './tokens-tab.tsx';

const route = getRouteApi('/identity');

const TABS: readonly Tab[] = [
  { label: 'People', link: { to: '/identity', search: {} } },
  { label: 'API tokens', link: { to: '/identity', search: { tab: 'tokens' } } },
  { label: 'Roles', link: { to: '/identity', search: { tab: 'roles' } } },
];

/** Who may do what, and which token was used last? */
export function PeoplePage() {
  const { tab } = route.useSearch();
  return (
    <div className="page">
      <h1>People and tokens</h1>
      <Tabs tabs={TABS} />
      {tab === undefined ? <MembersTab /> : null}
      {tab === 'tokens' ? <TokensTab /> : null}
      {tab === 'roles' ? <RolesTab /> : null}
    </div>
  );
}
