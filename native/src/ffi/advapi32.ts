import koffi from 'koffi';
import { lazily, openLibrary } from './library.ts';

type Handle = number | bigint;

/** LPSERVICE_MAIN_FUNCTIONW and LPHANDLER_FUNCTION_EX of winsvc.h. */
export const serviceCallbacks = lazily(() => ({
  main: koffi.pointer(koffi.proto('__stdcall', 'ServiceMain', 'void', ['uint32_t', 'void *'])),
  handler: koffi.pointer(koffi.proto('__stdcall', 'ServiceHandler', 'uint32_t', ['uint32_t', 'uint32_t', 'void *', 'void *'])),
}));

const library = lazily(() => {
  serviceCallbacks();
  return openLibrary('advapi32.dll');
});
const convention = '__stdcall';

/** Functions of advapi32.dll, each bound on first use. Zero is a failure. */
export const advapi32 = {
  registerHandler: lazily(() =>
    library().bind<(name: string, handler: bigint, context: null) => Handle>('RegisterServiceCtrlHandlerExW', {
      convention,
      returns: 'intptr_t',
      takes: ['str16', 'ServiceHandler *', 'void *'],
    }),
  ),
  setServiceStatus: lazily(() =>
    library().bind<(service: Handle, status: Buffer) => number>('SetServiceStatus', {
      convention,
      returns: 'int',
      takes: ['intptr_t', 'void *'],
    }),
  ),
  /** Its descriptor is the caller's for as long as the process lives. */
  securityDescriptor: lazily(() =>
    library().bind<(text: string, revision: 1, descriptor: Buffer, bytes: null) => number>(
      'ConvertStringSecurityDescriptorToSecurityDescriptorW',
      { convention, returns: 'int', takes: ['str16', 'uint32_t', 'void *', 'void *'] },
    ),
  ),
} as const;
