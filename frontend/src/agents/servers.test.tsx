import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { OwnServers } from './servers.tsx';

test('the servers of an agent’s own are shown with what they are given', () => {
  const shown = renderToStaticMarkup(
    <OwnServers
      servers={[
        { id: 'notes', transport: 'stdio', command: 'notes', args: ['--all'], env: { TOKEN: '{{secret:notes}}' }, tools_allowlist: ['find', 'read'] },
        { id: 'maps', transport: 'http', url: 'https://maps.example', headers: { Authorization: 'Bearer {{secret:maps}}' } },
      ]}
    />,
  ).replaceAll(/<[^>]*>/g, '|');
  for (const part of ['|notes|', '|notes --all|', '|TOKEN: |', '|{{secret:notes}}|', 'find, read', '|maps|', '|https://maps.example|', '|Authorization: |', '|Bearer {{secret:maps}}|']) expect(shown).toContain(part);
});

test('an agent that has none has no place for them', () => {
  expect(renderToStaticMarkup(<OwnServers servers={[]} />)).toBe('');
});
