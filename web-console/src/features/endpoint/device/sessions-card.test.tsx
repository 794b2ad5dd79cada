import type { DeviceView } from '@svc/contracts/endpoint/view';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { chainSession, serviceWords } from './service-words.ts';
import { describeMedian, SessionsCard, sessionScale } from './sessions-card.tsx';
import { WindowNote } from './window-note.tsx';

type Session = DeviceView['sessions'][number];

const session = (part: Partial<Session> = {}): Session => ({
  ...{ target: 'crm.example', role: 'target', measured_at: '2026-11-21T12:00:00.000Z', success: true, error: null },
  ...{ error_phase: null, status: '200', redirects: 0, dns_ms: 200, connect_ms: 1000, tls_ms: 1000, ttfb_ms: 2000 },
  ...{ other_ms: 1000, total_ms: 5200, usual_ms: 300, usual_count: 9 },
  window: { count: 12, failed: 3, phases: [{ phase: 'tls', count: 3 }], median_ms: 400, worst_ms: 5200 },
  ...part,
});
const usual = { from: '2026-11-13T08:00:00.000Z', to: '2026-11-20T08:00:00.000Z', least: 5 };
const failed = session({ target: 'mail.example', success: false, error_phase: 'tls', total_ms: 34, usual_ms: null });

it('draws phases that sum to the total, with the second that no phase measured', () => {
  const html = renderToStaticMarkup(<SessionsCard sessions={[session()]} usual={usual} />);
  const scale = sessionScale([session()]);
  const widths = [...html.matchAll(/class="p-(\w+)" style="width:([\d.]+)%"/g)].map(([, phase, width]) => [phase, Number(width)]);
  expect(widths.map(([phase]) => phase)).toEqual(['dns', 'connect', 'tls', 'ttfb', 'other']);
  const sum = widths.reduce((all, [, width]) => all + Number(width), 0);
  expect(sum).toBeCloseTo((100 * 5200) / scale, 6);
  expect(html).toContain('Other');
});

it('counts failures by their phase and says from when the median is', () => {
  const html = renderToStaticMarkup(<SessionsCard sessions={[session(), failed]} usual={usual} />);
  expect(html).toContain('3 of 12 failed at TLS');
  expect(html).toContain('failed at TLS');
  expect(html).toContain('too few to say');
  expect(describeMedian(usual)).toMatch(/succeeded in the 7 days before this time, .*; fewer than 5 are too few to say\.$/);
});

it('ends the chain in a session that failed before a slow one, and never in the control plane', () => {
  const control = session({ role: 'control_plane', total_ms: 90_000 });
  expect(chainSession([control, session(), failed])?.target).toBe('mail.example');
  expect(chainSession([control])).toBeUndefined();
  expect(serviceWords(failed)).toEqual({ words: 'mail failed at TLS', figures: '3 of 12 failed at TLS' });
  expect(serviceWords(session()).figures).toBe('3 of 12 failed at TLS, 7-day median 300\u202fms');
});

it('says of which time the page is, unless that is now', () => {
  const window = { from: '2026-11-20T07:00:00.000Z', to: '2026-11-20T08:00:00.000Z', is_now: false };
  const note = (view: Parameters<typeof WindowNote>[0]['view']) =>
    renderToStaticMarkup(<WindowNote view={view} onNow={() => {}} />);
  expect(note({ window, layers_at: '2026-11-20T07:58:00.000Z' })).toMatch(/As of .*the last verdict between/);
  expect(note({ window, layers_at: null })).toContain('No verdict between');
  expect(note({ window: { ...window, is_now: true }, layers_at: null })).toBe('');
});
