import './people.css';
import { type Permission, ROLE_PERMISSIONS, ROLES } from '@svc/contracts/permissions';
import { Icon } from '../../ui/controls/icons.tsx';
import { ScrollX } from '../../ui/controls/scroll-x.tsx';
import { permissionTitle } from '../../ui/permission/permission-words.ts';
import { ROLE_MEANINGS, ROLE_NAMES } from '../../ui/permission/role-words.ts';
import { ColumnHeads } from '../../ui/table/column-heads.tsx';

/** Permissions of parts that this release has; others are held in advance. */
const SHOWN: readonly Permission[] = [
  'agent.read',
  'agent.write',
  'otlp.read',
  'otlp.write',
  'audit.read',
  'member.write',
  'settings.write',
];

/** What each role may do; the same table that the server checks by. */
export function RolesTab() {
  return (
    <section className="card" aria-labelledby="roles-h">
      <header>
        <h2 id="roles-h">Roles</h2>
        <span className="s mute">what is not ticked is refused</span>
      </header>
      <ScrollX label="Roles">
        <table className="roles">
          <ColumnHeads
            columns={['Role', ...SHOWN.map((permission) => ({ name: permissionTitle(permission), title: permission }))]}
          />
          <tbody>
            {ROLES.map((role) => (
              <tr key={role}>
                <th scope="row">
                  <b>{ROLE_NAMES[role]}</b>
                  <span className="soft">{ROLE_MEANINGS[role]}</span>
                </th>
                {SHOWN.map((permission) => (
                  <td key={permission}>
                    {ROLE_PERMISSIONS[role].includes(permission) ? (
                      <>
                        <Icon name="check" size={14} />
                        <span className="sr">yes</span>
                      </>
                    ) : (
                      <span className="mute">no</span>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
    </section>
  );
}
