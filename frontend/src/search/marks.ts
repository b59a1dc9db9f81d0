const name = 'search';

/** Marks words in all text below an element, also in text that comes, until the function that it gives is called. */
export function mark(root: HTMLElement, words: string[], onMarked: (ranges: Range[]) => void): () => void {
  const pattern = patternOf(words);
  // An engine without highlights shows the place without marks.
  if (!pattern || !('highlights' in CSS)) return () => {};
  let frame = 0;
  const renew = () => {
    frame = 0;
    const ranges = find(root, pattern);
    CSS.highlights.set(name, new Highlight(...ranges));
    onMarked(ranges);
  };
  const changes = new MutationObserver(() => (frame ||= requestAnimationFrame(renew)));
  changes.observe(root, { childList: true, subtree: true, characterData: true });
  renew();
  return () => {
    changes.disconnect();
    cancelAnimationFrame(frame);
    CSS.highlights.delete(name);
  };
}

/** Matches any of the words as a whole word; in scripts without spaces, anywhere. */
export function patternOf(words: string[]): RegExp | undefined {
  const unspaced = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ー]/u;
  const sources = words
    .filter(word => word.trim())
    .toSorted((a, b) => b.length - a.length)
    .map(word => {
      const source = word.trim().replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`).replace(/\s+/g, String.raw`\s+`);
      return unspaced.test(word) ? source : String.raw`(?<![\p{L}\p{N}])${source}(?![\p{L}\p{N}])`;
    });
  return sources.length > 0 ? new RegExp(sources.join('|'), 'giu') : undefined;
}

function find(root: HTMLElement, pattern: RegExp): Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode as Text;
    for (const match of node.data.matchAll(pattern)) {
      const range = document.createRange();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      ranges.push(range);
    }
  }
  return ranges;
}
