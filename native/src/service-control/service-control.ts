/** This program as a service of the system's service manager, which waits for its start. */
export interface ManagedService {
  /** The start is done. */
  running: () => void;
  /**
   * The program ends now; resolves when the manager knows. It sees a failure in any exit code but 0.
   * A program that ends without it has failed in the manager's eyes.
   */
  stopped: (exitCode: number) => Promise<void>;
}

export interface ServiceRequest {
  readonly name: string;
  /** The manager asks for the end, or the system shuts down. Called once. */
  readonly onStop: (reason: Error) => void;
  /** The machine goes to sleep, or woke up; may be told twice. */
  readonly onPower: (power: 'suspend' | 'resume') => void;
  /** How long the start and the end may take each before the manager gives up. */
  readonly patienceMs: number;
}

/** Resolves when the manager has begun this service. Rejects with a NativeCallError where no manager started this program. */
export type JoinServiceManager = (request: ServiceRequest) => Promise<ManagedService>;
