import { Braces } from 'lucide-react';
import { Json } from '../tools/json.tsx';
import { Disclosure } from '../ui/disclosure.tsx';
import { text } from '../ui/text.ts';
import type { PartProps } from './registry.tsx';

/** A part that this version does not know, as it came. */
export function RawPart({ part }: PartProps) {
  const { type, ...rest } = part;
  return (
    <Disclosure icon={<Braces aria-hidden className="size-4" />} label={type === 'data-update' ? text.harness.update : <code className="font-mono">{type}</code>}>
      <Json value={'data' in rest ? rest.data : rest} />
    </Disclosure>
  );
}
