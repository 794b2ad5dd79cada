import './tests-tab.css';
import { MaintenanceCard } from './maintenance-card.tsx';
import { SecretsCard } from './secrets-card.tsx';
import { ThresholdsCard } from './thresholds-card.tsx';

/** From when on a test counts as failing, when its signals are held back, and what it may send that nobody may read. */
export function TestsTab() {
  return (
    <>
      <ThresholdsCard />
      <MaintenanceCard />
      <SecretsCard />
    </>
  );
}
