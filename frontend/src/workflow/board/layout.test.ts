import { describe, expect, test } from 'vitest';
import { layout, next, overview, showing, type Box, type Layout, type Wire } from './layout.ts';

/** A graph that is like those of people, or not: some boxes, and wires from earlier to later ones. */
function random(seed: number): { boxes: Box[]; wires: Wire[] } {
  let state = seed;
  const below = (n: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % n;
  };
  const boxes = Array.from({ length: 1 + below(40) }, (_, n) => ({ id: `n${n}`, width: 200 + below(200), height: 40 + below(120) }));
  const wires = boxes.slice(1).flatMap((to, n) =>
    // From near boxes: there are places that everything goes through.
    Array.from({ length: below(8) === 0 ? 0 : 1 + below(2) }, (_unused, m) => ({ id: `${m}:${to.id}`, from: boxes[Math.max(0, n - below(4))]!.id, to: to.id })),
  );
  return { boxes, wires };
}

const box = (id: string): Box => ({ id, width: 100, height: 50 });
const wire = (from: string, to: string): Wire => ({ id: `${from} ${to}`, from, to });

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
  test.each(Array.from({ length: 30 }, (_, seed) => seed + 1))('places no box over another, nor beside where wires lead down to (%i)', seed => {
    const { boxes, wires } = random(seed);
    const placed = layout(boxes, wires);
    const { at } = placed;
    expect(overlapping(boxes, at)).toEqual([]);
    for (const { from, to } of wires) {
      const bottom = at.get(from)!.y + boxes.find(({ id }) => id === from)!.height;
      expect(at.get(to)!.y).toBeGreaterThan(bottom);
    }
    expect(layout(structuredClone(boxes), structuredClone(wires)), 'the same again').toEqual(placed);
  });

  test('what all of a graph goes through is in the same column above and below', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const wires = [wire('a', 'b'), wire('a', 'c'), wire('b', 'd'), wire('c', 'd'), wire('d', 'e'), wire('e', 'f')];
    const { at } = layout(ids.map(box), wires);
    expect([...at.keys()].toSorted()).toEqual(ids);
    expect(at.get('e')!.x).toBe(at.get('d')!.x);
    expect(at.get('f')!.y - at.get('e')!.y).toBe(at.get('e')!.y - at.get('d')!.y);
    expect(at.get('b')!.y).toBe(at.get('c')!.y);
  });

  test('what ends early, or begins late, is not covered by what goes on', () => {
    const ids = ['a', 'early', 'b', 'c', 'late', 'later', 'd'];
    const wires = [wire('a', 'early'), wire('a', 'b'), wire('b', 'c'), wire('late', 'later'), wire('later', 'c'), wire('c', 'd')];
    const { at } = layout(ids.map(box), wires);
    expect(overlapping(ids.map(box), at)).toEqual([]);
  });

  test('what begins late is not beside what is wide and long before', () => {
    const boxes = ['a', 'b', 'c', 'late', 'later', 'latest', 'd'].map(id => ({ ...box(id), width: id === 'a' || id === 'b' ? 900 : 100 }));
    const { at } = layout(boxes, [wire('a', 'b'), wire('b', 'c'), wire('c', 'd'), wire('late', 'later'), wire('later', 'latest'), wire('latest', 'd')]);
    expect(overlapping(boxes, at)).toEqual([]);
  });

  test('boxes beside each other are in the order of the graph, if no wires cross for it', () => {
    const ids = ['choice', 'yes', 'no', 'then', 'end'];
    const wires = [wire('choice', 'yes'), wire('choice', 'no'), wire('choice', 'end'), wire('yes', 'then'), wire('then', 'end'), wire('no', 'end')];
    const { at, bends } = layout(ids.map(box), wires);
    expect(at.get('yes')!.x).toBeLessThan(at.get('no')!.x);
    expect(at.get('no')!.x).toBeLessThan(bends.get('choice end')![0]!.x);
  });

  test('and in another order if fewer wires cross then', () => {
    const ids = ['top', 'a', 'b', 'c', 'x', 'y'];
    const { at } = layout(ids.map(box), [wire('top', 'a'), wire('top', 'b'), wire('top', 'c'), wire('a', 'x'), wire('b', 'y'), wire('c', 'x')]);
    const inRow = ['a', 'b', 'c'].toSorted((one, other) => at.get(one)!.x - at.get(other)!.x);
    expect(inRow[1]).not.toBe('b');
  });

  test('a circle, an edge to itself and one to nowhere are no harm: a workflow may be wrong while it is edited', () => {
    const { at } = layout([box('a'), box('b')], [wire('a', 'b'), wire('b', 'a'), wire('a', 'a'), wire('a', 'gone')]);
    expect([...at.keys()]).toEqual(['a', 'b']);
  });

  test('only a wire that passes other rows is led around them', () => {
    const { bends } = layout(['a', 'b', 'c'].map(box), [wire('a', 'b'), wire('b', 'c'), wire('a', 'c')]);
    expect(bends.get('a b')).toEqual([]);
    expect(bends.get('a c')!.length).toBeGreaterThan(1);
  });
});

describe('moving by keys', () => {
  const boxes = ['top', 'left', 'right', 'end', 'alone'].map(box);
  const wires = [wire('top', 'left'), wire('top', 'right'), wire('left', 'end'), wire('right', 'end')];
  const at = new Map([
    ['top', { x: 90, y: 0 }],
    ['left', { x: 0, y: 100 }],
    ['right', { x: 200, y: 100 }],
    ['end', { x: 90, y: 200 }],
    ['alone', { x: 90, y: 400 }],
  ]);
  test.each([
    ['top', 'down', 'left'], // the nearer of two
    ['left', 'right', 'right'],
    ['right', 'left', 'left'],
    ['left', 'left', undefined],
    ['end', 'up', 'left'],
    ['right', 'up', 'top'],
    ['end', 'down', 'alone'], // no edge leads there
    ['alone', 'up', 'end'],
    ['top', 'up', undefined],
    ['gone', 'up', undefined],
  ] as const)('from %s %s is %s', (from, direction, to) => {
    expect(next(boxes, wires, { at, bends: new Map() }, from, direction)).toBe(to);
  });
});

describe('what is seen', () => {
  const screen = { width: 1_000, height: 632, left: 24 };
  const placed = { at: new Map([['a', { x: 0, y: 0 }], ['z', { x: 0, y: 10_000 }]]), bends: new Map() };
  const [a, z] = ['a', 'z'].map(box) as [Box, Box];

  test('a small workflow is in the middle of what its tools leave, as large as life', () => {
    expect(overview([a], placed, screen, 0.5, 0.8)).toEqual({ x: 450, y: 289, zoom: 1 });
    expect(overview([a], placed, { ...screen, left: 124 }, 0.5, 0.8).x).toBe(500);
  });

  test('of a long one that could not be read, the beginning', () => {
    const { x, y, zoom } = overview([a, z], placed, screen, 0.5, 0.8);
    expect(zoom).toBe(0.8);
    expect(y).toBe(64);
    expect(x + 50 * zoom).toBe(500);
  });

  test('all of it, if it may be as small as that', () => {
    const { y, zoom } = overview([a, z], placed, screen, 0.01, 0.8);
    expect(y + 10_050 * zoom).toBeLessThanOrEqual(632);
  });

  test('an empty one is no trouble', () => {
    expect(overview([], { at: new Map(), bends: new Map() }, screen, 0.5, 0.8).zoom).toBe(1);
  });

  test('what is seen whole moves nothing, what is not moves by as little as shows it', () => {
    const seen = { x: 100, y: 100, zoom: 1 };
    expect(showing(a, placed, screen, seen)).toBe(seen);
    const { x, y } = showing(z, placed, screen, seen);
    expect(x).toBe(100);
    expect(10_000 + 50 + y).toBe(632 - 68);
    expect(showing(a, placed, screen, { x: -50, y: 100, zoom: 1 })).toEqual({ x: 24, y: 100, zoom: 1 });
  });
});
