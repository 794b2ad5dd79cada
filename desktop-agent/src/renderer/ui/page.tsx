import type { ReactNode } from 'react';

interface PageProps {
  children: ReactNode;
  footer?: ReactNode;
  /** The tab that this page belongs to; none on the first start. */
  tab?: string;
}

/** The scrolling middle of the window and the line of controls below it. */
export function PageFrame({ children, footer, tab }: PageProps) {
  const panel = tab ? { role: 'tabpanel', id: 'panel', 'aria-labelledby': `tab-${tab}` } : {};
  return (
    <>
      <main className="middle">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and where it holds no control only this lets a keyboard scroll it */}
        <div className="body" tabIndex={0} {...panel}>
          {children}
        </div>
      </main>
      {footer ? <footer className="foot">{footer}</footer> : null}
    </>
  );
}
