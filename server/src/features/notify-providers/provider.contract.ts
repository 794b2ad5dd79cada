import type { Fault } from '@svc/testkit/providers/faults';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Outcome, Reference } from '#kernel';
import { type Authority, INCIDENT, messageOf, only, type Simulated, type SimulatedKind, simulate } from './test-providers.ts';

/** What every provider keeps to, whatever it is; it runs on each of them and on any later one. */

const MINUTE_MS = 60_000;
const EVIL =
  '<!channel> <@U123> [x](javascript:alert(1)) {noformat} [~admin] !pic.png! [code]<b>x</b>[/code] **bold** {{DATE(2020)}} <script>';
const LONG = `${EVIL} ${'Zürich 👩‍👩‍👧‍👦 naïve '.repeat(2000)}`;

const referenceOf = (outcome: Outcome): Reference | null => ('reference' in outcome ? outcome.reference : null);

interface Expected {
  kind: SimulatedKind;
  /** How a create ends whose answer never came. */
  cut: Outcome['is'];
  /** Of a page in place of an answer, and of a 500. */
  doubtful: Outcome['is'];
  taken: 'sent' | 'accepted';
  hasState: boolean;
}

export const EXPECTED: readonly Expected[] = [
  { kind: 'pager_a', cut: 'ambiguous', doubtful: 'ambiguous', taken: 'accepted', hasState: true },
  { kind: 'pager_b', cut: 'ambiguous', doubtful: 'ambiguous', taken: 'accepted', hasState: true },
  { kind: 'chat_a', cut: 'ambiguous', doubtful: 'ambiguous', taken: 'sent', hasState: true },
  { kind: 'chat_b', cut: 'ambiguous', doubtful: 'retry', taken: 'accepted', hasState: false },
  { kind: 'ticket_a', cut: 'ambiguous', doubtful: 'ambiguous', taken: 'sent', hasState: true },
  { kind: 'ticket_b', cut: 'ambiguous', doubtful: 'ambiguous', taken: 'sent', hasState: true },
  { kind: 'webhook', cut: 'ambiguous', doubtful: 'ambiguous', taken: 'sent', hasState: true },
];

export function describeProvider({ kind, cut, doubtful, taken, hasState }: Expected, authorityOf: () => Authority): void {
  describe(kind, () => {
    let at: Simulated;
    beforeEach(async () => {
      at = await simulate(kind, authorityOf());
    });
    afterEach(async () => {
      await at.sim.close();
      expect(at.sim.breaches).toEqual([]);
      withoutSecrets(at.logged);
    });
    const open = () => at.provider.open(at.to, messageOf());
    const confirmed = async (outcome: Outcome): Promise<Outcome> => {
      expect(outcome).toMatchObject({ is: taken });
      if (outcome.is === 'accepted' && outcome.request !== null)
        expect(await at.provider.confirm(at.to, outcome.request)).toMatchObject({ is: 'confirmed' });
      return outcome;
    };
    const withoutSecrets = (outcome: unknown): void => {
      const text = JSON.stringify(outcome);
      for (const secret of at.secrets.filter((one) => one.length > 5)) expect(text).not.toContain(secret);
    };

    it('takes a good credential without writing anything', async () => {
      expect(await at.provider.check(at.to)).toMatchObject({ is: 'sent', reference: null });
      expect(at.sim.objects()).toEqual([]);
    });

    it('opens, tells, acknowledges and resolves one object', async () => {
      const { provider, to, sim } = at;
      const can = provider.capabilities(to);
      const opened = await confirmed(await open());
      expect(only(sim)).toMatchObject({ state: 'open' });
      expect(`${only(sim).title} ${only(sim).text}`).toContain(INCIDENT.title);
      expect(only(sim).text).toContain(INCIDENT.url);
      const reference = referenceOf(opened);
      if (can.canUpdate) await confirmed(await provider.update(to, messageOf({ words: 'Two more signals.' }), reference));
      if (can.canAcknowledge)
        await confirmed(await provider.acknowledge(to, messageOf({ words: 'Acknowledged by Ada.' }), reference));
      await confirmed(await provider.resolve(to, messageOf({ words: 'Resolved by Ada.' }, { status: 'resolved' }), reference));
      if (hasState) expect(only(sim)).toMatchObject({ state: 'resolved' });
      else expect(sim.objects()).toHaveLength(2);
      if (can.canUpdate) expect(only(sim).lines.join()).toContain('Two more signals.');
    });

    it('resolves once and leaves what is resolved alone', async () => {
      if (!hasState) return;
      const reference = referenceOf(await open());
      await at.provider.resolve(at.to, messageOf(), reference);
      const lines = only(at.sim).lines.length;
      const again = await at.provider.resolve(at.to, messageOf(), reference);
      expect(['sent', 'accepted']).toContain(again.is);
      expect(only(at.sim).state).toBe('resolved');
      if (kind === 'ticket_a' || kind === 'ticket_b') expect(only(at.sim).lines).toHaveLength(lines);
    });

    it('opens again what was resolved, or says that a new one is needed', async () => {
      const { provider, to, sim } = at;
      const reference = referenceOf(await open());
      await provider.resolve(to, messageOf(), reference);
      const again = await provider.reopen(to, messageOf({ words: 'It fails again.' }), reference);
      if (provider.capabilities(to).reopens === 'same') {
        expect(again).toMatchObject({ is: 'sent' });
        // ServiceNow re-opens into work in progress.
        expect(only(sim).state).toBe(kind === 'ticket_a' ? 'acknowledged' : 'open');
        return;
      }
      expect(again.is).toBe('final');
      const former = reference ?? { id: 'x', label: 'post 1', url: null };
      await confirmed(await provider.open(to, messageOf({ generation: 2, former })));
      expect(sim.objects().filter(({ state }) => state === 'open').length).toBeGreaterThan(0);
    });

    it('says of a test that it is one', async () => {
      await confirmed(await at.provider.open(at.to, messageOf({ key: 'svc-test-1', isTest: true })));
      const { title, text } = only(at.sim);
      if (kind !== 'webhook') expect(`${title} ${text}`).toMatch(/test/i);
    });

    it('sends what strangers wrote neither as markup nor beyond the limits, and its link whole', async () => {
      const incident = { title: LONG, target: LONG, site: LONG, prefix: LONG };
      const together = Array.from({ length: 19 }, (_, i) => ({ ...INCIDENT, number: 100 + i, title: LONG }));
      const message = messageOf({ words: LONG, together: at.provider.pace(at.to).gathers > 1 ? together : [] }, incident);
      const opened = await confirmed(await at.provider.open(at.to, message));
      expect(only(at.sim).text).toContain(INCIDENT.url);
      const reference = referenceOf(opened);
      if (at.provider.capabilities(at.to).canUpdate) await confirmed(await at.provider.update(at.to, message, reference));
      await confirmed(await at.provider.resolve(at.to, message, reference));
      const sent = at.sim.calls.map(({ text }) => text).join('\n');
      expect(sent).not.toMatch(/\ufffd|[\ud800-\udbff](?![\udc00-\udfff])/);
    });

    const FAULTS: readonly (readonly [name: string, fault: Fault, outcome: object])[] = [
      ['429 with Retry-After', { kind: 'answer', status: 429, headers: { 'retry-after': '7' } }, { is: 'retry', afterMs: 7000 }],
      ['429 without a word', { kind: 'answer', status: 429 }, { is: 'retry', afterMs: null }],
      [
        '429 for a day',
        { kind: 'answer', status: 429, headers: { 'retry-after': '86400' } },
        { is: 'retry', afterMs: 60 * MINUTE_MS },
      ],
      ['503', { kind: 'answer', status: 503, headers: { 'retry-after': '2' } }, { is: 'retry', afterMs: 2000 }],
      ['500', { kind: 'answer', status: 500, body: { error: 'x' } }, { is: doubtful }],
      ['401', { kind: 'answer', status: 401, body: {} }, { is: 'broken_credential' }],
      ['400', { kind: 'answer', status: 400, body: { message: 'no' } }, { is: 'final' }],
      // A receiver of one's own may answer with whatever it likes.
      ['a page for people', { kind: 'html' }, { is: kind === 'webhook' ? 'sent' : doubtful }],
      ['10 MiB', { kind: 'large' }, { is: 'ambiguous' }],
      ['a redirect to a private address', { kind: 'redirect', to: 'https://10.0.0.1/' }, { is: 'retry' }],
      ['a cut after it was done', { kind: 'cut' }, { is: cut }],
      ['a half-closed connection', { kind: 'half_closed' }, { is: cut }],
      // Each of these takes the whole time limit, and is the outbound client's to notice: once is enough.
      ...(kind === 'pager_a' ? ([['an answer that drips', { kind: 'drip' }, { is: cut }]] as const) : []),
      ...(kind === 'ticket_b' ? ([['no answer', { kind: 'hang' }, { is: cut }]] as const) : []),
      [
        'JSON of another shape',
        { kind: 'wrong_json' },
        { is: kind === 'chat_b' ? 'accepted' : kind === 'webhook' ? 'sent' : doubtful },
      ],
    ];
    it.each(FAULTS)('%s ends as what it is', async (_, fault, expected) => {
      at.sim.faults.next(fault);
      const outcome = await open();
      expect(outcome).toMatchObject(expected);
      withoutSecrets(outcome);
    });

    it.each([{ kind: 'cut' }, { kind: 'done_then', status: 502 }] as Fault[])(
      'makes no second object after $kind',
      async (fault) => {
        const { provider, to, sim } = at;
        const can = provider.capabilities(to);
        if (!can.hasKey && !can.canBeFound) return;
        sim.faults.next(fault);
        expect((await open()).is).toBe('ambiguous');
        if (can.canBeFound) expect(await provider.find(to, messageOf(), Date.now())).toMatchObject({ is: 'found' });
        if (can.hasKey) await confirmed(await open());
        expect(sim.objects()).toHaveLength(1);
      },
    );

    it('finds nothing only when nothing can come any more', async () => {
      const { provider, to } = at;
      if (!provider.capabilities(to).canBeFound) return;
      expect(await provider.find(to, messageOf(), Date.now())).toMatchObject({ is: 'unknown', afterMs: expect.any(Number) });
      expect(await provider.find(to, messageOf(), Date.now() - 10 * MINUTE_MS)).toEqual({ is: 'absent' });
      const former = referenceOf(await open());
      const next = messageOf({ generation: 2, former });
      if (provider.capabilities(to).reopens === 'same')
        expect(await provider.find(to, next, Date.now() - 10 * MINUTE_MS)).toEqual({ is: 'absent' });
    });

    it('sees what people did there', async () => {
      const { provider, to, sim } = at;
      if (!provider.capabilities(to).canLook) return;
      const reference = referenceOf(await open());
      if (!reference) throw new Error('nothing to look at');
      expect(await provider.look(to, reference)).toBe('open');
      for (const [act, state] of [
        ['acknowledge', kind.startsWith('ticket') ? 'open' : 'acknowledged'],
        ['resolve', 'resolved'],
        ['delete', 'gone'],
      ] as const) {
        await sim.act(only(sim).id, act);
        expect(await provider.look(to, reference)).toBe(state);
      }
    });

    it('refuses a server with the certificate of another name', async () => {
      const other = await simulate(kind, authorityOf(), { tls: authorityOf().otherLeaf });
      expect(await other.provider.open(other.to, messageOf())).toMatchObject({
        is: 'retry',
        said: expect.stringContaining('certificate'),
      });
      expect(other.sim.calls).toEqual([]);
      await other.sim.close();
    });
  });
}
