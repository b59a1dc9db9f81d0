import type { Draft } from './editor.ts';

/**
 * A workflow as a file that the door has not written: JSON is YAML, too. The metadata stays the text that it is, with all
 * digits of its numbers.
 */
export function asJson({ graph, metadata }: Draft): string {
  const workflow = JSON.stringify(graph);
  const file = `{"schema_version":"1.0","workflow":${metadata ? `${workflow.slice(0, -1)},"metadata":${metadata}}` : workflow}}`;
  return file.replaceAll(/[\u007F-\u009F\uFEFF\uFFFE\uFFFF]/g, escaped); // YAML has them only like this
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
