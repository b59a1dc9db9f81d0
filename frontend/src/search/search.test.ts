import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pass, ScriptedServer } from '../api/scripted.ts';
import { patternOf } from './marks.ts';
import { Search } from './search.ts';

let server: ScriptedServer;
let search: Search;

beforeEach(() => {
  vi.useFakeTimers();
  server = new ScriptedServer();
  search = new Search(server.client);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const hit = (sessionId: string, ...words: string[]) => ({
  sessionId,
  title: sessionId,
  messageId: `m${words.join()}`,
  at: 1,
  excerpt: words.map(text => ({ text, hit: true })),
});

/** Gives each query one hit, in a session of its name, as late as the test says. */
function answers(delay: (q: string) => number = () => 0): void {
  server.answers.set('GET /search', async query => {
    const q = query.get('q')!;
    await new Promise(resolve => setTimeout(resolve, delay(q)));
    return { hits: [hit(q, q)], behind: 0 };
  });
}

const sessions = () => search.value.hits.map(({ sessionId }) => sessionId);

test('letters that follow each other closely are asked for once', async () => {
  answers();
  for (const text of ['h', 'he', 'her']) {
    search.type(text);
    await pass(50);
  }
  await pass(100);
  expect(server.asked).toEqual(['GET /search']);
  expect([search.value.state, ...sessions()]).toEqual(['done', 'her']);
});

test('an answer that comes too late changes nothing', async () => {
  answers(q => (q === 'slow' ? 1_000 : 0));
  search.type('slow');
  await pass(200);
  search.type('quick');
  await pass(200);
  expect(sessions()).toEqual(['quick']);
  await pass(1_000);
  expect(sessions()).toEqual(['quick']);
});

test('an empty box has no hits, whatever was asked before', async () => {
  answers();
  search.type('word');
  search.type(' ');
  await pass(500);
  expect([search.value.state, ...sessions()]).toEqual(['idle']);
  expect(server.asked).toEqual([]);
});

test('the hits of a session stand together, also those of a next page', async () => {
  const pages: Record<string, object> = {
    '': { hits: [hit('a', 'x'), hit('b', 'x'), hit('a', 'y')], next: '1.3', behind: 2 },
    '1.3': { hits: [hit('b', 'z')], behind: 0 },
  };
  server.answers.set('GET /search', query => pages[query.get('after') ?? '']);
  search.type('word');
  await pass(100);
  expect([...sessions(), search.value.behind]).toEqual(['a', 'a', 'b', 2]);
  search.more();
  await pass();
  expect([...sessions(), search.value.next]).toEqual(['a', 'a', 'b', 'b', undefined]);
  search.mark('a');
  expect(search.value.marks).toEqual({ session: 'a', words: ['x', 'y'] });
  search.type('other');
  expect(search.value.marks).toBeUndefined();
});

test('a filter asks again at once, and goes with the words', async () => {
  vi.setSystemTime(10 * 86_400_000 - 100);
  const asked: string[] = [];
  server.answers.set('GET /search', query => {
    asked.push(query.toString());
    return { hits: [], behind: 0 };
  });
  search.type('word');
  await pass(100);
  search.narrow({ role: 'tool' });
  search.narrow({ days: 7 });
  await pass();
  search.narrow({ role: undefined });
  await pass();
  expect(asked).toEqual(['q=word&limit=40', 'q=word&role=tool&since=259200000&limit=40', 'q=word&since=259200000&limit=40']);
  search.type('');
  expect(search.value.filter).toEqual({});
});

test('a failure says why', async () => {
  search.type('word');
  await pass(100);
  expect([search.value.state, search.value.error]).toEqual(['failed', 'Nothing.']);
});

test.each([
  [['heron'], 'Heron, herons, a_heron and HERON', ['Heron', 'heron', 'HERON']],
  [['a.b*', 'c++'], 'a.b* axb c++', ['a.b*', 'c++']],
  [['quick fox', 'quick'], 'quick\n fox, quick', ['quick\n fox', 'quick']],
  [['東京'], '東京都と東京', ['東京', '東京']],
  [['café'], 'cafés café', ['café']],
])('%j marks whole words, and parts of what has no spaces', (words, text, want) => {
  expect([...text.matchAll(patternOf(words)!)].map(([match]) => match)).toEqual(want);
});

test('nothing to mark is no pattern', () => {
  expect(patternOf([' '])).toBeUndefined();
});
