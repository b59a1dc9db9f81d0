import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';

interface SelectProps extends Pick<ComponentProps<'select'>, 'id' | 'aria-describedby' | 'aria-invalid'> {
  label: string;
  /** What the choice means, if the label does not say. */
  hint?: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  onChoose: (value: string) => void;
  className?: string;
}

/** One of a few things to choose from, as quiet as text. */
export function Select({ label, hint = label, value, options, onChoose, className = '', ...rest }: SelectProps) {
  return (
    <div className={`relative flex min-w-0 items-center ${className}`}>
      <select
        value={value}
        aria-label={label}
        title={hint}
        onChange={event => onChoose(event.target.value)}
        className="h-full w-full appearance-none truncate rounded-md ps-2 pe-6 text-soft hover:bg-hover hover:text-ink"
        {...rest}
      >
        {options.map(([option, name]) => (
          <option key={option} value={option} className="bg-raised text-ink">
            {name}
          </option>
        ))}
      </select>
      <ChevronDown aria-hidden className="pointer-events-none absolute end-1.5 size-3.5 text-faint" />
    </div>
  );
}
