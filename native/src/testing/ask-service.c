/*
 * What the service manager knows of a service, which wine's sc.exe does not print.
 *   ask-service NAME [CONTROL]    sends the control first; prints state, exit code, the service's own exit code, wait hint, last error
 */
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  SERVICE_STATUS status = {0};
  SC_HANDLE manager = OpenSCManagerA(NULL, NULL, SC_MANAGER_CONNECT);
  SC_HANDLE service = OpenServiceA(manager, argc > 1 ? argv[1] : "", SERVICE_QUERY_STATUS | SERVICE_INTERROGATE | SERVICE_USER_DEFINED_CONTROL);
  DWORD error = 0;
  if (!service) return 1;
  if (argc > 2 && !ControlService(service, atoi(argv[2]), &status)) error = GetLastError();
  if (!QueryServiceStatus(service, &status)) return 1;
  printf("%lu %lu %lu %lu %lu\n", status.dwCurrentState, status.dwWin32ExitCode, status.dwServiceSpecificExitCode, status.dwWaitHint, error);
  return 0;
}
