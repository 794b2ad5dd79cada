import { TelemetryIn } from './telemetry-in.tsx';

/** What comes in by OpenTelemetry. */
export function TelemetryInPage() {
  return (
    <div className="page">
      <TelemetryIn />
    </div>
  );
}
