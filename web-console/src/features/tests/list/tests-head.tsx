import '../../../ui/page/page-head.css';
import type { TestList } from '@svc/contracts/tests/views';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useRef } from 'react';
import { Time } from '../../../ui/moments/time.tsx';
import { useCalm } from '../use-calm.ts';
import { buildHeadline, buildRemainder, type HeadPart } from './tests-sentence.ts';

type Worst = Pick<TestList, 'items' | 'counts'>;

/** What somebody changed shows at once: one test more, one paused. */
const isOther = (before: Worst, now: Worst): boolean => JSON.stringify(before.counts) !== JSON.stringify(now.counts);

const keyed = (parts: readonly HeadPart[]) => parts.map((part, index) => ({ part, key: `${index}` }));

function Part({ part }: { part: HeadPart }) {
  if ('at' in part) return <Time at={part.at} />;
  if (!part.search) return part.text;
  return (
    <Link to="/tests" search={part.search}>
      {part.text}
    </Link>
  );
}

/** The sentence first: its counts lead to the filtered list; below it what it left out. */
export function TestsHead({ worst, actions }: { worst: Worst; actions: ReactNode }) {
  const element = useRef<HTMLDivElement>(null);
  const { counts, items } = useCalm(worst, element, isOther);
  return (
    <div className="head">
      <div className="grow" ref={element}>
        <h1>
          {keyed(buildHeadline(counts, items)).map(({ part, key }) => (
            <Fragment key={key}>
              <Part part={part} />
            </Fragment>
          ))}
        </h1>
        <p className="soft">{buildRemainder(counts)}</p>
      </div>
      <div className="headacts">{actions}</div>
    </div>
  );
}
