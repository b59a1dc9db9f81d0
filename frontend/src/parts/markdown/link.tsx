import type { ReactNode } from 'react';
import { useParley } from '../../parley.ts';
import { text } from '../../ui/text.ts';

const outside = /^(?:https?|mailto):/i;

/** What may be in a link: an address that opens outside, or a place in this text. Anything else is no link. */
export function safeUrl(url: string): string {
  return outside.test(url) || url.startsWith('#') ? url : '';
}

/** A link says where it goes, and goes there once the person has seen that. */
export function Link({ href, id, children }: { href?: string; id?: string; children?: ReactNode }) {
  const { dialogs } = useParley();
  if (!href) return <span id={id}>{children}</span>;
  const follow = () => {
    if (outside.test(href)) dialogs.confirmLink(href);
    else document.getElementById(decodeURIComponent(href.slice(1)))?.scrollIntoView({ block: 'center' });
  };
  return (
    <a
      href={href}
      id={id}
      title={outside.test(href) ? href : undefined}
      rel="noopener noreferrer"
      onClick={event => {
        event.preventDefault();
        follow();
      }}
      onAuxClick={event => event.preventDefault()}
    >
      {children}
    </a>
  );
}

/** Loading an image would tell its server that somebody reads this, and what a model put into the address. */
export function Image({ src, alt }: { src?: unknown; alt?: string }) {
  const label = text.imageNotLoaded(alt ?? '');
  return typeof src === 'string' && src ? <Link href={src}>{label}</Link> : <span>{label}</span>;
}
