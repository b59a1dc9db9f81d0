import { describe, expect, test } from 'vitest';
import { layout, type Box, type Ends, type Layout } from './layout.ts';

/** A graph that is like those of people, or not: some boxes, and edges from earlier to later ones. */
function random(seed: number): { boxes: Box[]; links: Ends[] } {
  let state = seed;
  const below = (n: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % n;
  };
  const boxes = Array.from({ length: 1 + below(40) }, (_, n) => ({ id: `n${n}`, width: 200 + below(200), height: 40 + below(120) }));
  const links = boxes.slice(1).flatMap((to, n) =>
    // From near boxes: there are places that everything goes through.
    Array.from({ length: below(8) === 0 ? 0 : 1 + below(2) }, (_unused, m) => ({ id: `${m}:${to.id}`, from: boxes[Math.max(0, n - below(4))]!.id, to: to.id })),
  );
  return { boxes, links };
}

const box = (id: string): Box => ({ id, width: 100, height: 50 });
const link = (from: string, to: string): Ends => ({ id: `${from} ${to}`, from, to });

function overlapping(boxes: readonly Box[], at: Layout['at']): string[] {
  return boxes.flatMap((a, n) => {
    const p = at.get(a.id)!;
    const under = boxes.slice(n + 1).filter(b => {
      const q = at.get(b.id)!;
      return p.x < q.x + b.width && q.x < p.x + a.width && p.y < q.y + b.height && q.y < p.y + a.height;
    });
    return under.map(b => `${a.id} and ${b.id}`);
  });
}

describe('layout', () => {
  test.each(Array.from({ length: 30 }, (_, seed) => seed + 1))('places no box over another, nor beside where edges lead down to (%i)', seed => {
    const { boxes, links } = random(seed);
    const placed = layout(boxes, links);
    const { at } = placed;
    expect(overlapping(boxes, at)).toEqual([]);
    for (const { from, to } of links) {
      const bottom = at.get(from)!.y + boxes.find(({ id }) => id === from)!.height;
      expect(at.get(to)!.y).toBeGreaterThan(bottom);
    }
    expect(layout(structuredClone(boxes), structuredClone(links)), 'the same again').toEqual(placed);
  });

  test('what all of a graph goes through is in the same column above and below', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const links = [link('a', 'b'), link('a', 'c'), link('b', 'd'), link('c', 'd'), link('d', 'e'), link('e', 'f')];
    const { at } = layout(ids.map(box), links);
    expect([...at.keys()].toSorted()).toEqual(ids);
    expect(at.get('e')!.x).toBe(at.get('d')!.x);
    expect(at.get('f')!.y - at.get('e')!.y).toBe(at.get('e')!.y - at.get('d')!.y);
    expect(at.get('b')!.y).toBe(at.get('c')!.y);
  });

  test('what ends early, or begins late, is not covered by what goes on', () => {
    const ids = ['a', 'early', 'b', 'c', 'late', 'later', 'd'];
    const links = [link('a', 'early'), link('a', 'b'), link('b', 'c'), link('late', 'later'), link('later', 'c'), link('c', 'd')];
    const { at } = layout(ids.map(box), links);
    expect(overlapping(ids.map(box), at)).toEqual([]);
  });

  test('what begins late is not beside what is wide and long before', () => {
    const boxes = ['a', 'b', 'c', 'late', 'later', 'latest', 'd'].map(id => ({ ...box(id), width: id === 'a' || id === 'b' ? 900 : 100 }));
    const { at } = layout(boxes, [link('a', 'b'), link('b', 'c'), link('c', 'd'), link('late', 'later'), link('later', 'latest'), link('latest', 'd')]);
    expect(overlapping(boxes, at)).toEqual([]);
  });

  test('boxes beside each other are in the order of the graph, if no edges cross for it', () => {
    const ids = ['choice', 'yes', 'no', 'then', 'end'];
    const links = [link('choice', 'yes'), link('choice', 'no'), link('choice', 'end'), link('yes', 'then'), link('then', 'end'), link('no', 'end')];
    const { at, bends } = layout(ids.map(box), links);
    expect(at.get('yes')!.x).toBeLessThan(at.get('no')!.x);
    expect(at.get('no')!.x).toBeLessThan(bends.get('choice end')![0]!.x);
  });

  test('and in another order if fewer edges cross then', () => {
    const ids = ['top', 'a', 'b', 'c', 'x', 'y'];
    const { at } = layout(ids.map(box), [link('top', 'a'), link('top', 'b'), link('top', 'c'), link('a', 'x'), link('b', 'y'), link('c', 'x')]);
    const inRow = ['a', 'b', 'c'].toSorted((one, other) => at.get(one)!.x - at.get(other)!.x);
    expect(inRow[1]).not.toBe('b');
  });

  test('a circle, an edge to itself and one to nowhere are no harm: a workflow may be wrong while it is edited', () => {
    const { at } = layout([box('a'), box('b')], [link('a', 'b'), link('b', 'a'), link('a', 'a'), link('a', 'gone')]);
    expect([...at.keys()]).toEqual(['a', 'b']);
  });

  test('whatever their ids are, boxes are not over each other', () => {
    for (const id of ['', 'constructor', '__proto__', '1', '_root', '"\u0001']) {
      const boxes = ['a', id, 'b', 'c'].map(box);
      const { at } = layout(boxes, [link('a', id), link('a', 'b'), link(id, 'c'), link('b', 'c')]);
      expect({ id, over: overlapping(boxes, at) }).toEqual({ id, over: [] });
    }
  });

  test('only an edge that passes other rows is led around them', () => {
    const { bends } = layout(['a', 'b', 'c'].map(box), [link('a', 'b'), link('b', 'c'), link('a', 'c')]);
    expect(bends.get('a b')).toEqual([]);
    expect(bends.get('a c')!.length).toBeGreaterThan(1);
  });
});
