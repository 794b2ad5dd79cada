import type { ServerMessage } from '@svc/contracts/agent/messages';
import { encodeShared } from '@svc/contracts/agent/shared-told';
import { expect, test } from 'vitest';
import type { LedgerBlock } from '../publish/ledger.ts';
import { createHeardRecord } from './heard-record.ts';

const message = (part: Partial<ServerMessage>): ServerMessage => ({
  ...{ policy_json: '', run_now: false, server_clock_ms: 5, renew_now: false, ...part },
});

function open() {
  const written: Partial<LedgerBlock>[] = [];
  const clock = { ms: 0 };
  const record = createHeardRecord({
    append: (block) => void written.push(block),
    now: () => clock.ms,
    receiptKey: () => undefined,
  });
  return { written, clock, record };
}

test('what is told of others is written down as it came, and what is not written down is not followed', () => {
  const { written, clock, record } = open();
  const told = message({ shared_json: encodeShared({ cause: 'wifi', others: 8, sinceMs: null }), run_now: true });
  for (let turn = 0; turn < 60; turn += 1) expect(record.heard(told)).toBe(told);
  expect(record.heard(told)).toEqual({ ...told, shared_json: '' });
  expect(written).toHaveLength(60);
  expect(written[0]).toMatchObject({ kind: 'told', direction: 'received', message: { sent: { cause: 'wifi', others: 8 } } });
  clock.ms = 15_000;
  expect(record.heard(told)).toBe(told);
  expect(record.heard(told).shared_json).toBe('');
  clock.ms = 3_600_000;
  expect(record.heard(message({ shared_json: `"${'x'.repeat(1024)}"` })).shared_json).toBe('');
  record.heard(message({ shared_json: '[1' }));
  expect(written.at(-1)?.message?.sent).toEqual({ text: '[1' });
});

test('a receipt is written down for a status that left, once', () => {
  const { written, record } = open();
  const of = 'ab'.repeat(32);
  const receipt = message({ receipt_of: Buffer.from(of, 'hex'), receipt: Buffer.alloc(64) });
  record.heard(receipt);
  expect(written).toEqual([]);
  record.sent(of);
  record.heard(receipt);
  record.heard(receipt);
  expect(written).toMatchObject([{ kind: 'receipt', receipt: { of, kind: 'status', state: 'unsigned', receivedAtMs: 5 } }]);
});
