/** A stretch of a text, from its beginning. */
export interface Stretch {
  from: number;
  to: number;
}

export interface NodeStretch extends Stretch {
  id: string;
}

// Both read by how far lines are set in: so it goes for what is no workflow yet, and for one of millions of characters at once.

/** What stands under a key of the workflow in its file, from the end of the line of that key to the end of its own last. */
export function section(file: string, key: string): Stretch | undefined {
  const indent = /^workflow:.*\n(?:[ \t]*(?:#.*)?\n)*( +)/m.exec(file)?.[1]!.length;
  const line = indent && new RegExp(`^ {${indent}}${key}:.*$`, 'm').exec(file);
  if (!line) return undefined;
  const from = line.index + line[0].length;
  const next = new RegExp(`^ {0,${indent}}[^\\s#-]`, 'gm');
  next.lastIndex = from;
  const end = next.exec(file)?.index ?? file.length;
  return { from, to: from + file.slice(from, end).trimEnd().length };
}

/** The nodes that a file has, in order, each from its dash to the end of its last line. */
export function nodeStretches(file: string): NodeStretch[] {
  const nodes = section(file, 'nodes');
  if (!nodes) return [];
  const list = file.slice(nodes.from, nodes.to);
  const [, before = ''] = /^( *)-\s/m.exec(list) ?? [];
  const starts = [...list.matchAll(new RegExp(`^${before}-\\s`, 'gm'))].map(({ index }) => index + before.length);
  return starts.flatMap((start, i) => {
    const item = list.slice(start, starts[i + 1]).trimEnd();
    const inside = before.length + /^-\s*/.exec(item)![0].length;
    const id = new RegExp(`^(?:- *(?:\\{\\s*(?:[^}]*,\\s*)?)?| {${inside}})id: *["']?([^\\s"'#,}]+)`, 'm').exec(item)?.[1];
    return id ? { id, from: nodes.from + start, to: nodes.from + start + item.length } : [];
  });
}
