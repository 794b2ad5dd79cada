import { useEffect } from 'react';
import { TelemetryIn } from '../features/telemetry-in/telemetry-in.tsx';

/** What comes in and goes out, and is each healthy? */
export function ConnectorsPage() {
  useEffect(() => {
    document.title = 'Connectors';
  }, []);
  return (
    <div className="page">
      <TelemetryIn />
    </div>
  );
}
