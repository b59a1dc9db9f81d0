import { expect, test } from 'vitest';
import { canvasHref, placeIn, type Place } from './place.ts';

test.each<[string, Place]>([
  ['#canvas', {}],
  ['#canvas/file/workflows%2Fa%20%3F%25.relavium.yaml', { file: 'workflows/a ?%.relavium.yaml' }],
  ['#canvas/file/a.relavium.yaml?node=turn-3', { file: 'a.relavium.yaml', node: 'turn-3' }],
  ['#canvas/session/sess_1', { session: 'sess_1' }],
])('%s is a place, and its address', (href, place) => {
  expect(placeIn(href)).toEqual({ file: undefined, session: undefined, node: undefined, ...place });
  expect(canvasHref(place)).toBe(href);
});

test.each(['#canvas/file/%E0%A4%A', '#canvas/elsewhere/a', '#canvas/file/'])('%s leads to the list', href => {
  expect(placeIn(href)).toEqual({ file: undefined, session: undefined, node: undefined });
});
