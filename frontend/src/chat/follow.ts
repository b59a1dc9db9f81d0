/** What happens to the view of a session. */
export type Motion =
  | { kind: 'wheel' | 'drag'; towardsEnd: boolean }
  | { kind: 'key'; key: string; shift: boolean }
  | { kind: 'scroll'; from: number; to: number; end: number; held: boolean }
  /** Something in the text was opened or closed by the reader. */
  | { kind: 'unfold' };

/** How far from the end the last line still counts as read. */
export const line = 24;

const upwards = ['PageUp', 'ArrowUp', 'Home'];

/**
 * Whether the view follows the end of the session after a motion. The reader leaves the end by the slightest move
 * away from it, and comes back only by moving towards the end as far as it goes: growth of the text is no move, and
 * neither is what holds the reading position when something above it changes.
 */
export function follows(before: boolean, motion: Motion): boolean {
  switch (motion.kind) {
    case 'wheel':
    case 'drag':
      return before && motion.towardsEnd;
    case 'key':
      return before && !upwards.includes(motion.key) && !(motion.key === ' ' && motion.shift);
    case 'scroll':
      if (motion.to > motion.from) return before || motion.end - motion.to <= line;
      return before && !(motion.held && motion.to < motion.from && motion.end - motion.to > line);
    case 'unfold':
      return false;
  }
}
