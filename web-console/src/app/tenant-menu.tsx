import { useMutation, useQuery } from '@tanstack/react-query';
import { tell } from '../api.ts';
import { meQuery, summaryQuery } from '../queries.ts';
import { Pop } from '../ui/controls/floating.tsx';
import { Icon, Mark } from '../ui/controls/icons.tsx';
import { useMay } from '../ui/permission/use-may.ts';
import { countPlaces } from '../ui/words/site-words.ts';

/** The tenant's name on every page, with "Simulated" beside it when its data are; a switcher for people in several. */
export function TenantMenu() {
  const me = useQuery(meQuery).data;
  const readsFleet = useMay('agent.read');
  const summary = useQuery({ ...summaryQuery, enabled: readsFleet }).data;
  const switchTenant = useMutation({
    mutationFn: (id: string) => tell('identity.switchTenant', { tenant: id }),
    onSuccess: () => location.assign('/'),
  });
  const simulated = me?.tenant.simulated || summary?.simulated;
  const places = countPlaces(summary?.sites ?? []);
  const name = (
    <>
      <Mark />
      <span className="grow word">
        <b>{me?.tenant.name ?? ' '}</b>
        <small title={places || undefined}>
          {simulated ? <span className="simulated">Simulated</span> : null}
          {simulated ? ` ${places.split(',', 1)[0]}` : places || 'Tenant'}
        </small>
      </span>
    </>
  );
  if (!me || me.tenants.length < 2) return <div className="tenant">{name}</div>;
  return (
    <Pop
      width={240}
      target={(open, toggle) => (
        <button
          type="button"
          className="tenant"
          aria-label={`Tenant: ${me.tenant.name}`}
          title={me.tenant.name}
          aria-expanded={open}
          onClick={toggle}
        >
          {name}
          <Icon name="upDown" size={14} className="mute" />
        </button>
      )}
    >
      {() => (
        <ul className="list" aria-label="Tenants">
          {me.tenants.map((tenant) => (
            <li key={tenant.id} className="flush">
              <button
                type="button"
                className="opt"
                aria-current={tenant.id === me.tenant.id}
                onClick={() => switchTenant.mutate(tenant.id)}
              >
                {tenant.name}
              </button>
            </li>
          ))}
          {switchTenant.error ? <li className="err">{switchTenant.error.message}</li> : null}
        </ul>
      )}
    </Pop>
  );
}
