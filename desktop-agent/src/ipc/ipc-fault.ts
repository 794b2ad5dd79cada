import type { IPC_FAULTS } from '@svc/contracts/agent/ipc';

export type IpcFaultCode = (typeof IPC_FAULTS)[number];

/** A call that is answered with a fault; `message` goes to the face and holds no path and no secret. */
export class IpcFault extends Error {
  override readonly name = 'IpcFault';
  readonly code: IpcFaultCode;

  constructor(code: IpcFaultCode, message: string) {
    super(message);
    this.code = code;
  }
}
