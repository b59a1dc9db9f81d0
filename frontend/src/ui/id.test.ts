import { expect, test } from 'vitest';
import { idFor } from './id.ts';

test.each([
  ['Code reviewer', 'code-reviewer'],
  ['  Größe & Co. ', 'gro-e-co'],
  ['Élan 2', 'elan-2'],
  ['日本', ''],
  [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
])('the id that goes with %s', (name, id) => expect(idFor(name)).toBe(id));
