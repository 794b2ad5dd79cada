@echo off
rem The agent without a window on Windows: a service that starts after the system as LOCAL SERVICE. As administrator:
rem   svc-agent-service.cmd install      svc-agent-service.cmd remove
if /i "%1"=="install" goto install
if /i "%1"=="remove" goto remove
echo svc-agent-service.cmd install^|remove
exit /b 2

:install
sc.exe create svc-agent binPath= "\"C:\Program Files\svc-agent\bin\node.exe\" --no-deprecation \"C:\Program Files\svc-agent\svc-agent.mjs\" run --service" obj= "NT AUTHORITY\LocalService" start= delayed-auto DisplayName= "Network Observability agent" || exit /b 1
sc.exe description svc-agent "Measures this device's network and says what is slow and why." || exit /b 1
sc.exe failure svc-agent reset= 86400 actions= restart/60000 || exit /b 1
rem Also where it ends with an exit code of its own.
sc.exe failureflag svc-agent 1 || exit /b 1
sc.exe start svc-agent
exit /b %errorlevel%

:remove
sc.exe stop svc-agent
sc.exe delete svc-agent
exit /b %errorlevel%
