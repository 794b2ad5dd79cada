import { describe, expect, it, vi } from 'vitest';
import { isPanelDark, type PageAnswer, servePages, startServiceProcess } from './electron-port.ts';

const answer: PageAnswer = {
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': "default-src 'none'" },
  body: Buffer.from('<h1>ours'),
};

describe('what only the newer Electron has', () => {
  it('serves pages by protocol.handle where that is', async () => {
    const handle = vi.fn<(scheme: string, handler: (request: { url: string }) => Promise<Response>) => void>();
    const asked: string[] = [];
    servePages({ handle } as never, 'app', async (url) => {
      asked.push(url);
      return answer;
    });
    const [scheme, handler] = handle.mock.calls[0] ?? [];
    const response = await handler?.({ url: 'app://face/index.html' });
    expect([scheme, asked]).toEqual(['app', ['app://face/index.html']]);
    expect(response?.headers.get('content-security-policy')).toBe("default-src 'none'");
    expect(response?.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await response?.text()).toBe('<h1>ours');
  });

  it('serves them the old way where it is not, with the type bare', async () => {
    const registerBufferProtocol =
      vi.fn<(scheme: string, handler: (request: object, respond: (value: object) => void) => void) => void>();
    servePages({ registerBufferProtocol } as never, 'app', async () => answer);
    const [, handler] = registerBufferProtocol.mock.calls[0] ?? [];
    const response = await new Promise((resolve) => handler?.({ url: 'app://face/index.html' }, resolve));
    expect(response).toEqual({
      statusCode: 200,
      mimeType: 'text/html',
      charset: 'utf-8',
      headers: { 'content-security-policy': "default-src 'none'" },
      data: answer.body,
    });
  });

  it('asks for the panel’s own theme first', () => {
    expect(isPanelDark({ nativeTheme: { shouldUseDarkColors: true } } as never)).toBe(true);
    const nativeTheme = { shouldUseDarkColors: false, shouldUseDarkColorsForSystemIntegratedUI: true };
    expect(isPanelDark({ nativeTheme } as never)).toBe(true);
  });

  it('runs the service in a utility process where its Node is new enough', async () => {
    const child = { once: vi.fn(), kill: vi.fn(), pid: undefined };
    const fork = vi.fn(() => child);
    const start = { program: '/face/svc-agent.mjs', args: ['run', '--window'], node: 'node', env: { LANG: 'C' } };
    const started = startServiceProcess({ utilityProcess: { fork } } as never, start);
    expect(fork).toHaveBeenCalledWith(
      '/face/svc-agent.mjs',
      ['run', '--window'],
      expect.objectContaining({ env: { LANG: 'C' } }),
    );
    started.stop();
    expect(child.kill).toHaveBeenCalled();
  });

  it('runs it on a Node of its own where it is not, and tells of its end', async () => {
    const versions = vi.spyOn(process, 'versions', 'get').mockReturnValue({ ...process.versions, node: '16.17.1' });
    const program = '--eval';
    const started = startServiceProcess({} as never, {
      program,
      args: ['process.on("SIGTERM", () => process.exit(0)); setInterval(() => {}, 1000); process.send("up")'],
      node: process.execPath,
      env: {},
    });
    started.stop();
    await started.exited;
    const missing = startServiceProcess({} as never, { program, args: [], node: '/no/such/node', env: {} });
    await missing.exited;
    versions.mockRestore();
  });
});
