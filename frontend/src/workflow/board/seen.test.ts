import { describe, expect, test } from 'vitest';
import type { Box } from './layout.ts';
import { overview, showing } from './seen.ts';

const box = (id: string): Box => ({ id, width: 100, height: 50 });
const placedAt = (x: number) => ({ at: new Map([['a', { x: 0, y: 0 }], ['z', { x, y: 10_000 }]]), bends: new Map() });

describe('what is seen', () => {
  const screen = { width: 1_000, height: 632, left: 24 };
  const placed = placedAt(0);
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

  test('of a wide one the whole width, or what is about its first node', () => {
    expect(overview([a, z], placedAt(1_500), screen, 0.5, 0.8)).toMatchObject({ x: 24, zoom: 952 / 1_600 });
    expect(overview([a, z], placedAt(10_000), screen, 0.5, 0.8)).toMatchObject({ x: 500 - 25, zoom: 0.5 });
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
