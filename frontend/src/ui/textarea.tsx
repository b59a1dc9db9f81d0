import type { ComponentProps } from 'react';

type Passed = 'ref' | 'id' | 'placeholder' | 'onKeyDown' | 'onPaste' | 'onBlur' | 'spellCheck' | 'aria-describedby' | 'aria-invalid' | 'aria-autocomplete' | 'aria-controls' | 'aria-activedescendant';

interface TextAreaProps extends Pick<ComponentProps<'textarea'>, Passed> {
  label: string;
  value: string;
  onWrite: (written: string) => void;
  /** Of the space around the text. */
  className?: string;
}

/** A box to write in, as high as its text is: a copy of the text, which nobody sees, makes it so. */
export function TextArea({ label, value, onWrite, className = '', ...rest }: TextAreaProps) {
  return (
    <div className={`grid *:col-start-1 *:row-start-1 ${className}`}>
      <div aria-hidden className="invisible max-h-[40dvh] overflow-hidden break-words whitespace-pre-wrap">
        {value}{' '}
      </div>
      <textarea
        value={value}
        rows={1}
        dir="auto"
        aria-label={label}
        onChange={event => onWrite(event.target.value)}
        className="h-full w-full resize-none outline-none placeholder:text-faint"
        {...rest}
      />
    </div>
  );
}
