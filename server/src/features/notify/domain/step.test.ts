import { describe, expect, it } from 'vitest';
import type { Capabilities } from '#kernel';
import { nextStep, type StepMessage, type StepSituation } from './step.ts';

const TICKET: Capabilities = {
  ...{ hasKey: false, canBeFound: true, canUpdate: true, canAcknowledge: true, canResolve: true, reopens: 'same' },
  ...{ confirms: false, canLook: true },
};
const CHAT: Capabilities = { ...TICKET, canBeFound: false, reopens: 'new' };
const PAGER: Capabilities = { ...CHAT, hasKey: true };

const message = (given: Partial<StepMessage>): StepMessage => ({
  ...{ verb: 'open', isConfirming: false, inDoubt: false, isDelayed: false, isExpired: false, ...given },
});
const situation = (given: {
  link?: Partial<StepSituation['link']>;
  incident?: Partial<StepSituation['incident']>;
  capabilities?: Capabilities;
}): StepSituation => ({
  link: { state: 'waiting', hasReference: false, ...given.link },
  incident: { status: 'open', openSignalCount: 1, ...given.incident },
  capabilities: given.capabilities ?? TICKET,
});

describe('an open', () => {
  it.each([
    ['is looked for where it can be', TICKET, { do: 'find', isNew: false, isOver: false }],
    ['is sent again by its key', PAGER, { do: 'send', verb: 'open', isNew: false, isPossibleRepeat: false }],
    ['is sent again and marked where nobody can tell', CHAT, { do: 'send', verb: 'open', isNew: false, isPossibleRepeat: true }],
  ])('in doubt %s', (_words, capabilities, step) => {
    expect(nextStep(message({ inDoubt: true }), situation({ capabilities }))).toEqual(step);
  });

  it('of an incident that is over is dropped, or taken for sent where it is in doubt', () => {
    const over = { status: 'resolved' } as const;
    expect(nextStep(message({}), situation({ incident: over }))).toMatchObject({ do: 'drop', isUntold: true });
    expect(nextStep(message({ inDoubt: true }), situation({ incident: over }))).toMatchObject({ do: 'find', isOver: true });
    expect(nextStep(message({ inDoubt: true }), situation({ incident: over, capabilities: PAGER }))).toMatchObject({
      do: 'assume',
    });
  });

  it('that waited for a delay is dropped where nothing fails any more', () => {
    expect(nextStep(message({ isDelayed: true }), situation({ incident: { openSignalCount: 0 } }))).toMatchObject({ do: 'drop' });
    expect(nextStep(message({}), situation({ incident: { openSignalCount: 0 } }))).toMatchObject({ do: 'send' });
  });

  it('that waited for a delay is dropped where somebody has the incident, unless it may have been taken', () => {
    const taken = { status: 'acknowledged' } as const;
    const step = nextStep(message({ isDelayed: true }), situation({ incident: taken }));
    expect(step).toEqual({ do: 'drop', why: 'it was acknowledged before it was sent', isUntold: true });
    expect(nextStep(message({}), situation({ incident: taken }))).toMatchObject({ do: 'send' });
    const doubtful = nextStep(message({ isDelayed: true, inDoubt: true }), situation({ incident: taken }));
    expect(doubtful).toMatchObject({ do: 'find', isOver: false });
  });
});

describe('an incident that opens again', () => {
  const again = message({ verb: 'reopen' });
  it.each([
    ['opens the same object', TICKET, { state: 'resolved', hasReference: true }, { verb: 'reopen', isNew: false }],
    [
      'opens another one where the provider cannot',
      CHAT,
      { state: 'resolved', hasReference: true },
      { verb: 'open', isNew: true },
    ],
    ['opens another one where it is gone', TICKET, { state: 'gone', hasReference: true }, { verb: 'open', isNew: true }],
  ] as const)('%s', (...[, capabilities, link, step]) => {
    expect(nextStep(again, situation({ capabilities, link }))).toMatchObject({ do: 'send', ...step });
  });
});

it.each([
  ['resolve', 'waiting', 'resolved', 'it was never opened there'],
  ['resolve', 'gone', 'resolved', 'it is not there any more'],
  ['resolve', 'resolved', 'resolved', 'it is resolved there'],
  ['resolve', 'open', 'open', 'the incident was opened again'],
  ['update', 'open', 'resolved', 'the incident was resolved'],
  ['acknowledge', 'open', 'open', 'it is not acknowledged any more'],
] as const)('a %s of a link that is %s, of an incident that is %s, is dropped: %s', (...[verb, state, status, why]) => {
  expect(nextStep(message({ verb }), situation({ link: { state }, incident: { status } }))).toEqual({
    do: 'drop',
    why,
    isUntold: false,
  });
});
