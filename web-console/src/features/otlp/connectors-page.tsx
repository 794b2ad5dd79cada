import { TelemetryIn } from './telemetry-in.tsx';

/** What comes in and goes out, and is each healthy? */
export function ConnectorsPage() {
  return (
    <div className="page">
      <TelemetryIn />
    </div>
  );
}
