import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';

interface IconButtonProps extends ComponentProps<'button'> {
  icon: LucideIcon;
  label: string;
}

/** A button with an icon only. Its label is what it is called. */
export function IconButton({ icon: Icon, label, className = 'size-8', ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`grid shrink-0 place-items-center rounded-md text-soft hover:bg-hover hover:text-ink aria-pressed:text-accent disabled:opacity-40 ${className}`}
      {...rest}
    >
      <Icon aria-hidden className="size-4" />
    </button>
  );
}

interface IconLinkProps extends ComponentProps<'a'> {
  icon: LucideIcon;
  label: string;
}

/** A link with an icon only. */
export function IconLink({ icon: Icon, label, ...rest }: IconLinkProps) {
  return (
    <a aria-label={label} title={label} className="grid size-8 shrink-0 place-items-center rounded-md text-soft hover:bg-hover hover:text-ink" {...rest}>
      <Icon aria-hidden className="size-4" />
    </a>
  );
}

const looks = {
  plain: 'border border-line-strong bg-raised hover:bg-hover',
  strong: 'border border-transparent bg-accent text-on-accent hover:brightness-110',
};

interface ButtonProps extends ComponentProps<'button'> {
  look?: keyof typeof looks;
}

export function Button({ look = 'plain', className = '', ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={`inline-flex h-8 items-center gap-1.5 rounded-md px-3 text-sm font-medium disabled:opacity-50 ${looks[look]} ${className}`}
      {...rest}
    />
  );
}
