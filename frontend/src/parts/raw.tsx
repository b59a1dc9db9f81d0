import { Braces } from 'lucide-react';
import { Json } from '../tools/json.tsx';
import { Disclosure } from '../ui/disclosure.tsx';
import type { PartProps } from './registry.tsx';

/** A part that this version does not know, as it came. */
export function RawPart({ part }: PartProps) {
  const { type, ...rest } = part;
  return (
    <Disclosure icon={<Braces aria-hidden className="size-4" />} label={<code className="font-mono">{type}</code>}>
      <Json value={'data' in rest ? rest.data : rest} />
    </Disclosure>
  );
}
