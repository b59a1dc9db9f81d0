import type { Code, Root } from 'mdast';

const fence = '$$';

/** A remark plugin: a paragraph that is a formula is shown as the code that it is, word for word. */
export function formulas() {
  return (tree: Root, file: { value: unknown }) => {
    tree.children = tree.children.map(node => {
      if (node.type !== 'paragraph') return node;
      const source = String(file.value).slice(node.position?.start.offset, node.position?.end.offset);
      const isFormula = source.length > 2 * fence.length && source.startsWith(fence) && source.endsWith(fence);
      const code: Code = { type: 'code', lang: 'math', value: source.slice(fence.length, -fence.length).trim() };
      return isFormula ? code : node;
    });
  };
}
