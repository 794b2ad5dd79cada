import type { TestView } from '@svc/contracts/tests/views';
import { Link } from '@tanstack/react-router';
import { Time } from '../../../ui/moments/time.tsx';
import { useMay } from '../../../ui/permission/use-may.ts';

/** Who changed the test itself, and when. */
export function ChangesCard({ changes }: { changes: TestView['changes'] }) {
  const readsAudit = useMay('audit.read');
  return (
    <section className="card" aria-labelledby="changes-h">
      <header>
        <h2 id="changes-h">Changes of the test</h2>
        <span className="grow" />
        {readsAudit ? <Link to="/audit">Audit</Link> : null}
      </header>
      {changes.length === 0 ? <p className="soft s phasenone">None is recorded.</p> : null}
      <ul className="changelist">
        {changes.map(({ at, actor, action, what }) => (
          <li key={`${at} ${action}`}>
            <Time at={at} className="mute" />
            <span>
              {what} <span className="mute">by {actor}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
