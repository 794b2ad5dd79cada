import type { InboundProvider } from '@svc/contracts/notify/kinds';

/** What to do at the other side, step by step. */
export const STEPS: Readonly<Record<InboundProvider, readonly string[]>> = {
  pager_a: [
    'In PagerDuty: Integrations, Generic Webhooks (v3), New webhook. Webhook URL: the address.',
    'Events: incident.acknowledged, incident.resolved, incident.reopened.',
    'PagerDuty shows its own signing secret once. Rotate this webhook here and give it that secret.',
    'PagerDuty’s message does not hold our key: its connector needs a REST API key. Without one only the portable contract below works.',
  ],
  pager_b: [
    'In Opsgenie: Settings, Integrations, Webhook. Webhook URL: the address.',
    'Add a header X-Svc-Token with the secret. Opsgenie signs nothing.',
    'Alert actions: Acknowledge, Close, Delete.',
  ],
  ticket_a: [
    'In ServiceNow: System Definition, Business Rules, New. Table incident, when after, on update.',
    'Condition: Updated by is not the account of the connector.',
    'Advanced: paste the script. It sends state and id of the record, nothing else.',
  ],
  ticket_b: [
    'In Jira: Settings, System, WebHooks, Create. URL: the address. Secret: the secret.',
    'Events: Issue updated, Issue deleted.',
    'Where Jira offers no secret, an automation rule sends the header X-Svc-Token with it.',
  ],
};

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** A string of JavaScript, also where it stands inside of another program's page. */
const literal = (text: string): string => `'${JSON.stringify(text).slice(1, -1).replaceAll("'", "\\'").replaceAll('\\"', '"')}'`;

const businessRule = (address: string, secret: string): string =>
  `(function executeRule(current) {
  var message = new sn_ws.RESTMessageV2();
  message.setEndpoint(${literal(address)});
  message.setHttpMethod('post');
  message.setRequestHeader('Content-Type', 'application/json');
  message.setRequestHeader('X-Svc-Token', ${literal(secret)});
  message.setRequestBody(JSON.stringify({
    sys_id: current.getUniqueValue(),
    state: current.getValue('state'),
    correlation_id: current.getValue('correlation_id'),
    sys_mod_count: current.getValue('sys_mod_count'),
    sys_updated_by: current.getValue('sys_updated_by')
  }));
  message.executeAsync();
})(current);`;

/** What is pasted at the other side as it is; undefined where fields are filled in instead. */
export const scriptOf = (provider: InboundProvider, address: string, secret: string): string | undefined =>
  provider === 'ticket_a' ? businessRule(address, secret) : undefined;

/** Commands that send the portable contract: they run in any shell with curl, and change nothing since no incident has this id. */
export const curlRecipe = (address: string, secret: string): string =>
  [
    `ADDRESS=${quoted(address)}`,
    `SECRET=${quoted(secret)}`,
    '# If curl does not trust the certificate, add --cacert ca.crt: tls/ca.crt in the data folder of the server.',
    `BODY='{"external_ref":"svc-00000000-0000-7000-8000-000000000000","status":"resolved"}'`,
    `curl -fsS "$ADDRESS" -H 'content-type: application/json' -H "x-svc-token: $SECRET" --data-binary "$BODY"`,
  ].join('\n');
