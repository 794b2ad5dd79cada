import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { meQuery } from '../queries.ts';
import { Segments } from '../ui/controls/controls.tsx';
import { Pop } from '../ui/controls/floating.tsx';
import { Icon } from '../ui/controls/icons.tsx';
import { endDrafts } from '../ui/draft/use-own-drafts.ts';
import { ROLE_NAMES } from '../ui/permission/role-words.ts';
import { chooseTheme, useThemeChoice } from './theme.ts';

const initials = (name: string): string =>
  name
    .split(/[\s@.]+/)
    .slice(0, 2)
    .map((part) => part.charAt(0).toUpperCase())
    .join('');

/** Who is signed in, their sessions, the theme, and the way out. */
export function UserMenu() {
  const me = useQuery(meQuery).data;
  const choice = useThemeChoice();
  const name = me ? (me.account.name ?? me.account.email ?? 'Account') : '';
  const role = me?.roles.map((held) => ROLE_NAMES[held]).join(', ') || (me ? 'No role yet' : '');
  return (
    <Pop
      width={220}
      position="top-start"
      target={(open, toggle) => (
        <button type="button" className="acct" title={name} aria-expanded={open} onClick={toggle}>
          <span className="av" aria-hidden="true">
            {initials(name)}
          </span>
          <span className="grow word">
            <b>{name}</b> <small>{role}</small>
          </span>
          <Icon name="upDown" size={14} className="mute" />
        </button>
      )}
    >
      {(close) => (
        <>
          <div className="pophead">
            <Segments
              label="Theme"
              value={choice}
              onChange={chooseTheme}
              options={[
                { value: 'light', label: 'Light' },
                { value: 'dark', label: 'Dark' },
                { value: 'system', label: 'System' },
              ]}
            />
          </div>
          <ul className="list">
            <li className="flush">
              <Link className="opt" to="/settings" search={{ tab: 'sessions' }} onClick={close}>
                <Icon name="screen" size={14} />
                My sessions
              </Link>
            </li>
            <li className="flush">
              <form method="post" action={me?.sign_out_path ?? '/auth/logout'} className="grow" onSubmit={endDrafts}>
                <button type="submit" className="opt">
                  <Icon name="signOut" size={14} />
                  Sign out
                </button>
              </form>
            </li>
          </ul>
        </>
      )}
    </Pop>
  );
}
