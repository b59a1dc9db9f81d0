import { RangeSetBuilder, type Extension } from '@codemirror/state';
import { Decoration, ViewPlugin, type DecorationSet, type EditorView, type ViewUpdate } from '@codemirror/view';

/** Beyond so many characters a line that is set in would have no room left. */
const most = 24;

/** A line that is too long goes on under its own beginning, a little further in. */
export const hangingLines: Extension = ViewPlugin.define(view => new Hanging(view), { decorations: ({ lines }) => lines });

class Hanging {
  lines: DecorationSet;

  constructor(view: EditorView) {
    this.lines = hang(view);
  }

  update({ view, docChanged, viewportChanged }: ViewUpdate): void {
    if (docChanged || viewportChanged) this.lines = hang(view);
  }
}

function hang({ state, visibleRanges }: EditorView): DecorationSet {
  const lines = new RangeSetBuilder<Decoration>();
  for (const { from, to } of visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      const by = Math.min(line.text.search(/\S|$/) + 2, most);
      lines.add(line.from, line.from, Decoration.line({ attributes: { style: `padding-inline-start: calc(6px + ${by}ch); text-indent: -${by}ch` } }));
      at = line.to + 1;
    }
  }
  return lines.finish();
}
