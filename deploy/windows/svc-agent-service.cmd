@echo off
rem The agent without a window on Windows: a service that starts after the system as LOCAL SERVICE. As administrator:
rem   svc-agent-service.cmd install      svc-agent-service.cmd seat      svc-agent-service.cmd remove
if /i "%1"=="install" goto install
if /i "%1"=="seat" goto seat
if /i "%1"=="remove" goto remove
echo svc-agent-service.cmd install^|seat^|remove
exit /b 2

:install
sc.exe create svc-agent binPath= "\"C:\Program Files\svc-agent\bin\node.exe\" --no-deprecation \"C:\Program Files\svc-agent\svc-agent.mjs\" run --service" obj= "NT AUTHORITY\LocalService" start= delayed-auto DisplayName= "Network Observability agent" || exit /b 1
sc.exe description svc-agent "Measures this device's network and says what is slow and why." || exit /b 1
sc.exe failure svc-agent reset= 86400 actions= restart/60000 || exit /b 1
rem Also where it ends with an exit code of its own.
sc.exe failureflag svc-agent 1 || exit /b 1
sc.exe start svc-agent
exit /b %errorlevel%

rem Beside the app's window: the service measures for all who work there, and tells the window in a folder that nobody else may write in.
:seat
if not exist "C:\Program Files\svc-agent\seat" mkdir "C:\Program Files\svc-agent\seat" || exit /b 1
icacls "C:\Program Files\svc-agent\seat" /grant *S-1-5-19:(OI)(CI)M || exit /b 1
sc.exe config svc-agent binPath= "\"C:\Program Files\svc-agent\bin\node.exe\" --no-deprecation \"C:\Program Files\svc-agent\svc-agent.mjs\" run --service --seat" || exit /b 1
sc.exe stop svc-agent
rem It stops within seconds; "sc stop" does not wait for that, and what has not stopped does not start.
for /l %%i in (1,1,30) do (
  sc.exe query svc-agent | find "STOPPED" >nul && goto start
  ping.exe -n 2 127.0.0.1 >nul
)
:start
sc.exe start svc-agent
exit /b %errorlevel%

:remove
sc.exe stop svc-agent
sc.exe delete svc-agent
exit /b %errorlevel%
