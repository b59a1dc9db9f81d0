import { expect, test } from 'vitest';
import { fieldsOf, filledIn } from './form.tsx';

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', description: 'Of the project' },
    port: { type: 'integer' },
    share: { type: 'number' },
    force: { type: 'boolean' },
    color: { enum: ['red', 'green'] },
  },
  required: ['name'],
};

test('a form asks for what a schema describes, and gives it in the types that it has', () => {
  const fields = fieldsOf(schema);
  expect(fields.map(({ label, kind, isRequired }) => `${label} ${kind} ${isRequired}`)).toEqual([
    'Name text true',
    'port integer false',
    'share number false',
    'force check false',
    'color choice false',
  ]);
  expect(filledIn(fields, { name: '5', port: '80', share: '', color: 'red' })).toEqual({ name: '5', port: 80, force: false, color: 'red' });
});

test.each([[undefined], [{}], ['x'], [{ properties: [] }], [{ properties: { a: { type: 'array' } } }], [{ properties: { a: null } }]])(
  'of %j there is no form: it is answered in words',
  given => expect(fieldsOf(given)).toEqual([]),
);
