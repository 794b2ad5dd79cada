import type { CertificateFacts } from '@svc/contracts/tests/run-report';
import { Time } from '../../../ui/moments/time.tsx';
import { formatBytes, joinWords, plural } from '../../../ui/words/format.ts';

const DAY_MS = 86_400_000;
const MOST_NAMES = 3;

/** "shop.example, www.shop.example and 4 more" */
function nameWords(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES);
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : joinWords(shown);
}

function checkWords({ trusted, name_matches, not_before, not_after }: CertificateFacts, now: number): string {
  const isInTime = Date.parse(not_before) <= now && now < Date.parse(not_after);
  return joinWords([
    trusted ? 'trusted' : 'not trusted',
    name_matches ? 'name matches' : 'name does not match',
    isInTime ? 'in time' : 'out of its time',
  ]);
}

interface CertificateCardProps {
  certificate: CertificateFacts;
  changedAt: string | null;
  /** The assertion's days, where there is one. */
  warnDays: number | undefined;
}

/** The certificate as it was sent: what is left of its time, and what it is. */
export function CertificateCard({ certificate, changedAt, warnDays }: CertificateCardProps) {
  const now = Date.now();
  const [from, to] = [Date.parse(certificate.not_before), Date.parse(certificate.not_after)];
  const left = Math.floor((to - now) / DAY_MS);
  const place = (at: number): string => `${(Math.min(1, Math.max(0, (at - from) / Math.max(1, to - from))) * 100).toFixed(1)}%`;
  return (
    <section className="card" aria-labelledby="cert-h">
      <header>
        <h2 id="cert-h">Certificate</h2>
      </header>
      <div className="certbody">
        <p>
          <b className="certleft num">{left < 0 ? 'Ended' : plural(left, 'day')}</b>{' '}
          <span className="soft s">
            {left < 0 ? '' : 'left, '}until <Time at={certificate.not_after} />
            {warnDays === undefined ? '' : `. Fails below ${warnDays} days.`}
          </span>
        </p>
        <div className="certscale" aria-hidden="true">
          <i style={{ width: place(now) }} />
          {warnDays === undefined ? null : <u style={{ left: place(to - warnDays * DAY_MS) }} />}
        </div>
        <dl className="kvpairs">
          {changedAt ? (
            <div>
              <dt>Changed</dt>
              <dd>
                <Time at={changedAt} />
              </dd>
            </div>
          ) : null}
          <div>
            <dt>Subject</dt>
            <dd>{certificate.subject}</dd>
          </div>
          <div>
            <dt>Issuer</dt>
            <dd>{certificate.issuer}</dd>
          </div>
          <div>
            <dt>Names</dt>
            <dd title={certificate.names.join(', ')}>{nameWords(certificate.names)}</dd>
          </div>
          <div>
            <dt>Chain</dt>
            <dd>
              {plural(certificate.chain_length, 'certificate')}, {formatBytes(certificate.chain_bytes)}
            </dd>
          </div>
          <div>
            <dt>Key</dt>
            <dd>
              {certificate.key}, {certificate.protocol}
            </dd>
          </div>
          <div>
            <dt>Checks</dt>
            <dd className={certificate.fault ? 'err' : undefined}>{certificate.fault ?? checkWords(certificate, now)}</dd>
          </div>
          <div>
            <dt>SHA-256</dt>
            <dd className="mono certprint">{certificate.fingerprint}</dd>
          </div>
        </dl>
      </div>
    </section>
  );
}
