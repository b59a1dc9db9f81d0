import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** A wave under what is wrong, in our colour: CodeMirror's own is a picture with a colour of its own. */
const wave = 'underline wavy var(--bad) 1px';

const theme = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--canvas)', color: 'var(--ink)', fontSize: 'var(--text-code)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', fontVariantLigatures: 'none', lineHeight: '1.6', overscrollBehavior: 'contain' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '0.5rem 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '.cm-gutters': { backgroundColor: 'var(--canvas)', color: 'var(--faint)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '.cm-activeLineGutter': { color: 'var(--ink)' },
  '.cm-foldGutter .cm-gutterElement': { cursor: 'pointer' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--tint)', border: 'none', borderRadius: '0.25rem', color: 'var(--soft)', margin: '0 0.25rem', padding: '0 0.375rem' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in oklch, var(--accent) 28%, transparent)',
  },
  '&.cm-focused .cm-matchingBracket, .cm-selectionMatch': { backgroundColor: 'var(--tint)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--bad-tint)' },
  '.cm-searchMatch': { backgroundColor: 'var(--mark)' },
  '.cm-searchMatch-selected': { outline: '1px solid var(--accent)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: wave, textUnderlineOffset: '3px' },
  '.cm-lintPoint:after': { borderBottomColor: 'var(--bad)' },
  '.cm-gutter-lint': { width: '1rem' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0 0 0 0.375rem', display: 'grid', alignItems: 'center' },
  '.cm-lint-marker-error': { content: '""', width: '0.5rem', height: '0.5rem', borderRadius: '50%', backgroundColor: 'var(--bad)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', border: '1px solid var(--line-strong)', borderRadius: '0.5rem', boxShadow: 'var(--shadow-pop)', maxWidth: '28rem', overflow: 'hidden' },
  '.cm-diagnostic': { borderLeft: '3px solid var(--bad)', fontFamily: 'var(--font-sans)', margin: '0', padding: '0.25rem 0.625rem' },
  '.cm-panels': { backgroundColor: 'var(--panel)', color: 'var(--ink)', fontFamily: 'var(--font-sans)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '0.375rem', padding: '0.5rem 2rem 0.5rem 0.75rem' },
  '.cm-panel.cm-search br': { flexBasis: '100%', height: '0' },
  '.cm-panel.cm-search :is(input, button, label)': { margin: '0' },
  '.cm-panel.cm-search label': { display: 'inline-flex', alignItems: 'center', gap: '0.25rem', fontSize: 'var(--text-xs)', color: 'var(--soft)' },
  '.cm-panel.cm-search input[type=checkbox]': { accentColor: 'var(--accent)' },
  '.cm-textfield': { backgroundColor: 'var(--raised)', border: '1px solid var(--line-strong)', borderRadius: '0.375rem', fontSize: 'var(--text-sm)', padding: '0.125rem 0.5rem' },
  '.cm-button': { backgroundColor: 'var(--raised)', backgroundImage: 'none', border: '1px solid var(--line-strong)', borderRadius: '0.375rem', fontSize: 'var(--text-xs)', padding: '0.125rem 0.5rem' },
  '.cm-panel.cm-search [name=close]': { top: '0.375rem', right: '0.5rem', width: '1.5rem', height: '1.5rem', fontSize: '1.125rem', color: 'var(--soft)' },
});

const colours = HighlightStyle.define([
  { tag: tags.definition(tags.propertyName), color: 'var(--code-name)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-text)' },
  { tag: tags.lineComment, color: 'var(--faint)', fontStyle: 'italic' },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: 'var(--soft)' },
  { tag: [tags.typeName, tags.labelName, tags.meta], color: 'var(--code-word)' },
]);

/** As the rest of the page looks, light and dark. */
export const look: Extension = [theme, syntaxHighlighting(colours)];
