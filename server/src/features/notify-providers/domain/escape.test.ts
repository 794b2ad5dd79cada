import { describe, expect, it } from 'vitest';
import { clean, forHtml, forJira, forOpsgenie, forServiceNow, forSlack, forTeams, oneLine } from './escape.ts';

describe('what strangers wrote', () => {
  it('pings nobody at Slack', () => {
    expect(forSlack('<!channel> <@U1> <https://evil.example|ours> a&b')).toBe(
      '&lt;!channel&gt; &lt;@U1&gt; &lt;https://evil.example|ours&gt; a&amp;b',
    );
  });

  it('is no Markdown at Teams', () => {
    expect(forTeams('[ours](https://evil.example) **x** _y_ `z`')).toBe(
      '\\[ours\\](https://evil.example) \\*\\*x\\*\\* \\_y\\_ \\`z\\`',
    );
    expect(forTeams('# head\n- item\n1. one\n198.51.100.0/24')).toBe('\\# head\n\\- item\n1\\. one\n198.51.100.0/24');
    expect(forTeams('{{DATE(2020-01-01T00:00:00Z)}}')).toMatch(/^\{\u200b\{/);
  });

  it('is no wiki markup at Jira', () => {
    expect(forJira('{code}x{code} [~admin] !https://evil.example/a.png! |a|')).toBe(
      '\\{code\\}x\\{code\\} \\[\\~admin\\] \\!https://evil.example/a.png\\! \\|a\\|',
    );
    expect(forJira('h1. Big\nbq. quoted\n- item')).toBe('h1\u200b. Big\nbq\u200b. quoted\n\\- item');
    expect(forJira('checkout.shop.example')).toBe('checkout.shop.example');
  });

  it('is no HTML at ServiceNow, Opsgenie and in mails', () => {
    expect(forServiceNow('[code]<img src=x>[/CODE]')).toBe('[\u200bcode]<img src=x>[\u200b/CODE]');
    expect(forOpsgenie('<b>x</b> 3 < 4')).toBe('<\u200bb>x<\u200b/b> 3 < 4');
    expect(forHtml(`<a href="x" title='y'>&`)).toBe('&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;');
  });

  it('turns no text around, holds no control character and is well-formed', () => {
    expect(clean('a\u202eb\u0000c\u001b[31m\r\nd\ud800')).toBe('abc[31m\nd\ufffd');
    expect(oneLine('  a\r\nBcc: x@example.com\t b ')).toBe('a Bcc: x@example.com b');
  });
});
