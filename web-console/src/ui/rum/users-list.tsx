import './users-of-hosts.css';
import type { OfHosts } from '@svc/contracts/rum/views';
import { Link } from '@tanstack/react-router';
import { Icon } from '../controls/icons.tsx';
import { ToldSentence } from '../moments/told-sentence.tsx';
import { RUM_VERDICT_ICONS } from './verdict-words.ts';

/** One line a host. */
export function UsersList({ found }: { found: OfHosts['items'] }) {
  return (
    <section className="card" aria-labelledby="users-h">
      <header>
        <h2 id="users-h">Real users of the same host</h2>
      </header>
      <ul className="usersof">
        {found.map(({ app, host, verdict, sufficient, users_hurt, sentence }) => (
          <li key={`${app} ${host}`} className={users_hurt ? 'on' : undefined}>
            <Icon name={sufficient || verdict !== 'healthy' ? RUM_VERDICT_ICONS[verdict] : 'pending'} size={14} />
            <span>
              <Link to="/rum/$app/$host" params={{ app, host }}>
                {host}
              </Link>{' '}
              <ToldSentence text={sentence} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
