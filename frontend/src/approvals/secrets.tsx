import { RectangleEllipsis } from 'lucide-react';
import { useId } from 'react';
import { text } from '../ui/text.ts';

/** The secrets that a call would be given, by their slugs. */
export function secretsOf(asks: unknown): string[] {
  const { secrets } = (asks ?? {}) as { secrets?: unknown };
  return Array.isArray(secrets) ? secrets.filter(slug => typeof slug === 'string') : [];
}

/** Which secrets a call would be given. */
export function SecretsAsked({ asks }: { asks: unknown }) {
  const id = useId();
  const slugs = secretsOf(asks);
  if (slugs.length === 0) return null;
  return (
    <div className="mt-1.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
      <span id={id} className="flex items-center gap-2">
        <RectangleEllipsis aria-hidden className="size-4 shrink-0 text-warn" />
        {text.allow.secrets(slugs.length)}
      </span>
      <ul aria-labelledby={id} className="flex min-w-0 flex-wrap gap-1.5">
        {slugs.map(slug => (
          <li key={slug} className="rounded border border-warn/40 bg-warn-tint px-1.5 font-mono text-xs leading-5 break-all text-ink">
            {slug}
          </li>
        ))}
      </ul>
    </div>
  );
}
