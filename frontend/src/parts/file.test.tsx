import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, expect, test, vi } from 'vitest';
import { pass, ScriptedServer } from '../api/scripted.ts';
import { ParleyContext, type Parley } from '../parley.ts';
import { FilePart } from './file.tsx';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

async function shown(mediaType: string, url: string) {
  vi.useFakeTimers();
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  const server = new ScriptedServer();
  server.answers.set('GET /media/00', () => new Response(new Blob(['a picture'])));
  const place = document.createElement('div');
  const root = createRoot(place);
  await act(async () => {
    root.render(
      <ParleyContext value={{ client: server.client } as Parley}>
        <FilePart part={{ type: 'file', mediaType, url, filename: 'a.file' }} />
      </ParleyContext>,
    );
    await pass();
  });
  return { place, server, leave: () => act(() => root.unmount()) };
}

test('a stored picture is fetched with the token, and forgotten with its place', async () => {
  const made = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:here');
  const revoked = vi.spyOn(URL, 'revokeObjectURL').mockReturnValue();
  const { place, server, leave } = await shown('image/png', '/media/00');
  expect(place.querySelector('img')).toMatchObject({ src: 'blob:here', alt: 'a.file' });
  expect(server.asked).toEqual(['GET /media/00']);
  expect(await (made.mock.calls[0]![0] as Blob).text()).toBe('a picture');
  expect(revoked).not.toHaveBeenCalled();
  leave();
  expect(revoked).toHaveBeenCalledWith('blob:here');
});

test.each([
  ['image/png', '/media/lost'],
  ['image/png', 'https://example.org/a.png'],
  ['image/svg+xml', '/media/00'],
  ['text/html', '/media/00'],
])('of %s at %s only the name is shown', async (mediaType, url) => {
  const { place } = await shown(mediaType, url);
  expect(place.textContent).toBe('a.file');
  expect(place.querySelector('img')).toBeNull();
});
