import { Check, Copy, type LucideIcon } from 'lucide-react';
import { useEffect, useState, type ComponentProps } from 'react';
import { useParley } from '../parley.ts';
import { IconButton } from './button.tsx';
import { text } from './text.ts';

interface CopyButtonProps extends Omit<ComponentProps<typeof IconButton>, 'icon' | 'content'> {
  content: () => string;
  icon?: LucideIcon;
}

/** Puts what it is asked for on the clipboard, and shows for a moment that it did. */
export function CopyButton({ content, icon = Copy, label, ...rest }: CopyButtonProps) {
  const { host } = useParley();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    await host.copy(content());
    setCopied(true);
  };
  return <IconButton icon={isCopied ? Check : icon} label={isCopied ? text.copied : label} onClick={() => void copy()} {...rest} />;
}
