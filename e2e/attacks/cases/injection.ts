import { expect } from 'vitest';
import { attack } from '../harness/attack.ts';
import { exportHttp } from '../harness/otlp.ts';
import { logRecord, request } from '../harness/payloads.ts';
import { newMark } from '../harness/victim.ts';

const WORDS = [
  `' OR 1=1 --`,
  `'; DROP TABLE logs; --`,
  `\\' OR tenant_id != '' OR '`,
  `") OR 1 OR ("`,
  `{tenant:String}`,
  `%' UNION ALL SELECT * FROM system.tables --`,
  `$(sleep 5)`,
  `\u0000`,
  `(a+)+$`,
  `*`,
  `%`,
  `../../etc/passwd`,
];

const PATHS: readonly ((word: string) => string)[] = [
  (word) => `/v1/otlp/logs?text=${word}`,
  (word) => `/v1/otlp/logs?service=${word}`,
  (word) => `/v1/otlp/logs?attribute=${word}%3D${word}`,
  (word) => `/v1/otlp/logs?cursor=${word}`,
  (word) => `/v1/otlp/traces?service=${word}`,
  (word) => `/v1/otlp/traces?attribute=${word}~${word}`,
  (word) => `/v1/otlp/metrics/names?search=${word}`,
  (word) => `/v1/otlp/metrics?metric=${word}`,
  (word) => `/v1/endpoints.csv?search=${word}`,
  (word) => `/v1/endpoints.csv?site=${word}&sort=${word}`,
  (word) => `/v1/audit?cursor=${word}`,
  (word) => `/v1/helpdesk-codes/${word}`,
];

attack({
  name: 'no filter, search or cursor is read as part of a query: nothing of another tenant, no error of a store, no long work',
  surfaces: ['GET /v1/otlp/logs', 'GET /v1/otlp/traces', 'GET /v1/otlp/metrics', 'GET /v1/endpoints.csv', 'GET /v1/audit'],
  cost: 'short',
  async run(ground) {
    const mark = newMark();
    const body = request([logRecord({ body: mark })]);
    await exportHttp(ground.doors.otlpHttp, { signal: 'logs', body, token: ground.victim.otlpToken });
    const minted = await ground.api('/v1/tokens', {
      token: ground.hostile.tokens.admin,
      json: { name: 'injects', roles: ['admin'] },
    });
    const { secret: token } = JSON.parse(minted.body) as { secret: string };
    const surprises: string[] = [];
    for (const path of PATHS)
      for (const word of WORDS) {
        const answer = await ground.api(path(encodeURIComponent(word)), { token });
        if (answer.status >= 500 || answer.status === 0)
          surprises.push(`${path(word)}: ${answer.status} ${answer.body.slice(0, 200)}`);
        if (answer.body.includes(mark) || /DB::Exception|syntax error/.test(answer.body))
          surprises.push(`${path(word)}: ${answer.body.slice(0, 200)}`);
        if (answer.ms > 4000) surprises.push(`${path(word)}: ${answer.ms} ms`);
      }
    expect(surprises).toEqual([]);
  },
});

const CELLS = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '=HYPERLINK("https://evil.example")'];

attack({
  name: 'a cell of an export is never a formula, and a name never a header of its download',
  surfaces: ['trpc fleet.agents.setSite', 'trpc fleet.agents.rename', 'trpc endpoint.csv', 'GET /v1/endpoints.csv'],
  cost: 'short',
  async run(ground) {
    const token = ground.hostile.tokens.admin;
    const id = ground.hostile.device.identity.agentId;
    for (const cell of CELLS) {
      await ground.trpc('fleet.agents.setSite', { ids: [id], site: cell }, { token, mutation: true });
      await ground.trpc('fleet.agents.rename', { id, name: `${cell}"\r\nx-injected: 1` }, { token, mutation: true });
      const { body, headers, status } = await ground.api('/v1/endpoints.csv', { token });
      expect({ cell, status, injected: headers['x-injected'] }).toEqual({ cell, status: 200, injected: undefined });
      const formulas = body.split('\r\n').flatMap((line) => line.match(/(?:^|,)"?[=+\-@\t\r]/g) ?? []);
      expect({ cell, formulas }).toEqual({ cell, formulas: [] });
    }
  },
});
