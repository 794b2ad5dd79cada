import type { Role } from '@svc/contracts/permissions';
import { Checkbox } from '../../ui/controls/controls.tsx';
import { ROLE_MEANINGS, ROLE_NAMES } from '../../ui/permission/role-words.ts';

const ORDER: readonly Role[] = ['viewer', 'it_admin', 'operator', 'auditor', 'admin'];

/** Roles with what each is for; several may be held at once. */
export function RolePicker({ roles, onChange }: { roles: readonly Role[]; onChange: (roles: Role[]) => void }) {
  return (
    <fieldset className="rolepicker">
      <legend>Roles</legend>
      {ORDER.map((role) => (
        <Checkbox
          key={role}
          checked={roles.includes(role)}
          onChange={(on) => onChange(on ? [...roles, role] : roles.filter((held) => held !== role))}
          label={
            <span>
              <b className="med">{ROLE_NAMES[role]}</b> <span className="mute">{ROLE_MEANINGS[role]}</span>
            </span>
          }
        />
      ))}
    </fieldset>
  );
}

export function RoleTags({ roles }: { roles: readonly Role[] }) {
  if (roles.length === 0) return <span className="mute">no role</span>;
  return (
    <span className="chips">
      {roles.map((role) => (
        <span key={role} className="tag">
          {ROLE_NAMES[role]}
        </span>
      ))}
    </span>
  );
}
