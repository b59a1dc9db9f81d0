import { beforeEach, describe, expect, test, vi } from 'vitest';
import { text as words } from '../ui/text.ts';
import { isWhole, Draft } from './draft.ts';

/** What the server was asked to store, and how each request ends. */
let stored: string[];
let answers: (() => void)[];
const save = (kept: { draft: string }) => {
  stored.push(kept.draft);
  return new Promise<void>(resolve => answers.push(resolve));
};
/** A server that takes pictures only. What it says of them follows from what is in them. */
const upload = async (content: ArrayBuffer) => {
  const said = new TextDecoder().decode(content);
  if (!said) throw new Error('The file is empty.');
  return { handle: '', url: `/media/${said}`, mediaType: 'image/png' };
};
const slow = { save, upload };

beforeEach(() => {
  vi.useFakeTimers();
  stored = [];
  answers = [];
  return () => vi.useRealTimers();
});

test('is stored a moment after the last key', async () => {
  const draft = new Draft(slow);
  for (const text of ['h', 'he', 'hel']) {
    draft.edit(text);
    await vi.advanceTimersByTimeAsync(399);
  }
  expect(stored).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(stored).toEqual(['hel']);
});

test('is stored by one request at a time', async () => {
  const draft = new Draft(slow);
  draft.edit('one');
  void draft.flush();
  await vi.advanceTimersByTimeAsync(0);
  draft.edit('two');
  void draft.flush();
  await vi.advanceTimersByTimeAsync(0);
  expect(stored).toEqual(['one']);
  answers[0]!();
  await vi.advanceTimersByTimeAsync(0);
  expect(stored).toEqual(['one', 'two']);
});

test('what is sent is not stored after it', async () => {
  const draft = new Draft(slow);
  draft.edit('hello');
  void draft.flush();
  await vi.advanceTimersByTimeAsync(0);
  draft.edit('hello!');
  const taken = draft.take();
  expect(draft.value.text).toBe('');
  let isTaken = false;
  void taken.then(() => (isTaken = true));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isTaken).toBe(false); // before the request that stores "hello" has ended
  answers[0]!();
  expect(await taken).toEqual({ text: 'hello!', files: [] });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(stored).toEqual(['hello']);
});

test('what could not be stored is tried again', async () => {
  let fails = true;
  const draft = new Draft({
    upload,
    save: kept => {
      stored.push(kept.draft);
      return fails ? Promise.reject(new Error('no connection')) : Promise.resolve();
    },
  });
  draft.edit('kept');
  await draft.flush();
  fails = false;
  await draft.flush();
  await draft.flush();
  expect(stored).toEqual(['kept', 'kept']);
});

test('what is stored does not replace what was typed meanwhile', () => {
  const draft = new Draft(slow);
  draft.edit('typed');
  draft.restore({ draft: 'stored', draftFiles: [] });
  expect(draft.value.text).toBe('typed');
  const untouched = new Draft(slow);
  untouched.restore({ draft: 'stored', draftFiles: [] });
  expect(untouched.value.text).toBe('stored');
});

test('what could not be sent comes back before what was typed since', () => {
  const draft = new Draft(slow);
  draft.edit('second');
  draft.giveBack({ text: 'first', files: [] });
  expect(draft.value.text).toBe('first\nsecond');
});

/** A server that keeps what it is told to. */
function keeping() {
  const kept: object[] = [];
  return { kept, server: { upload, save: async (what: object) => void kept.push(what) } };
}

describe('a file', () => {
  const cat = new File(['cat'], 'cat.png');
  const part = { type: 'file', mediaType: 'image/png', filename: 'cat.png', url: '/media/cat' } as const;
  test('can be sent without a word once the server has it', async () => {
    const draft = new Draft(keeping().server);
    const attached = draft.attach([cat]);
    expect(draft.value.files).toMatchObject([{ name: 'cat.png', size: 3 }]);
    expect(isWhole(draft.value)).toBe(false);
    await attached;
    expect(draft.value.files).toMatchObject([{ url: '/media/cat', mediaType: 'image/png' }]);
    expect(isWhole(draft.value)).toBe(true);
    expect(await draft.take()).toEqual({ text: '', files: [part] });
    expect(draft.value).toEqual({ text: '', files: [] });
  });

  test('is stored with the draft, and goes from there when it is removed', async () => {
    const { kept, server } = keeping();
    const draft = new Draft(server);
    draft.edit('see');
    await draft.attach([cat]);
    draft.detach(draft.value.files[0]!.id);
    await draft.flush();
    expect(kept).toEqual([
      { draft: 'see', draftFiles: [{ url: '/media/cat', name: 'cat.png' }] },
      { draft: 'see', draftFiles: [] },
    ]);
  });

  test('that was stored is there again, and is not stored anew', async () => {
    const { kept, server } = keeping();
    const draft = new Draft(server);
    const file = { url: '/media/cat', name: 'cat.png', mediaType: 'image/png', size: 3 };
    draft.restore({ draft: '', draftFiles: [file] });
    expect(draft.value.files).toMatchObject([file]);
    await draft.flush();
    expect(kept).toEqual([]);
    expect(await draft.take()).toEqual({ text: '', files: [part] });
  });

  test.each([
    ['empty', new File([], 'a'), 'The file is empty.'],
    ['far too large', Object.defineProperty(new File(['x'], 'a'), 'size', { value: 16 * 2 ** 20 }), words.attach.tooLarge],
    ['a folder', Object.assign(new File(['x'], 'a'), { arrayBuffer: () => Promise.reject(new Error('no file')) }), words.attach.unreadable],
  ])('that is %s says why, and stays until it is removed', async (_, refused, why) => {
    const draft = new Draft(keeping().server);
    draft.edit('look');
    await draft.attach([refused, cat]);
    expect(draft.value.files.map(file => file.problem)).toEqual([why, undefined]);
    expect(isWhole(draft.value)).toBe(false);
    expect(await draft.take()).toEqual({ text: 'look', files: [part] });
    expect(draft.value.files).toMatchObject([{ problem: why }]);
  });

  test('that could not be sent comes back before those that were attached since', async () => {
    const draft = new Draft(keeping().server);
    await draft.attach([cat]);
    const said = await draft.take();
    await draft.attach([new File(['dog'], 'dog.png')]);
    draft.giveBack(said);
    expect(draft.value.files.map(({ name }) => name)).toEqual(['cat.png', 'dog.png']);
    expect(isWhole(draft.value)).toBe(true);
  });

  test('that is on its way when the draft is loaded is not lost', async () => {
    const draft = new Draft(keeping().server);
    const attached = draft.attach([cat]);
    draft.restore({ draft: 'stored', draftFiles: [] });
    await attached;
    expect(draft.value.files).toMatchObject([{ url: '/media/cat' }]);
  });
});
