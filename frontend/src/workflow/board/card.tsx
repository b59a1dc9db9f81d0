import { Handle, Position, type Node, type NodeProps } from '@xyflow/react';
import { Bot, FileInput, FileOutput, GitFork, Hand, Merge, Split, TriangleAlert, WandSparkles, type LucideIcon } from 'lucide-react';
import { memo } from 'react';
import type { WorkflowNodeType } from '../../api/types.gen.ts';
import type { Face, Line } from './face.ts';
import type { Size } from './layout.ts';
import { boardText as text } from './text.ts';

export const icons: Record<WorkflowNodeType, LucideIcon> = {
  input: FileInput,
  agent: Bot,
  human_gate: Hand,
  condition: GitFork,
  transform: WandSparkles,
  parallel: Split,
  merge: Merge,
  output: FileOutput,
};

export interface CardData extends Record<string, unknown> {
  type: WorkflowNodeType;
  face: Face;
  problems: readonly string[];
}

export type CardNode = Node<CardData, 'card'>;

/** The measures of a card, in pixels. They are here, and not found by looking, so that cards are placed before they are drawn. */
const measures = { width: 272, head: 40, line: 19, foot: 12, outs: 24, out: 92 };

export function sizeOf({ lines, outs }: Face): Size {
  const rows = lines.reduce((sum, line) => sum + line.rows, 0);
  return {
    width: Math.max(measures.width, outs.length * measures.out),
    height: measures.head + rows * measures.line + measures.foot + (outs.length > 1 ? measures.outs : 0),
  };
}

/** Where on the lower side of a card a way out is, as a part of its width. */
export function placeOfOut(n: number, of: number): number {
  return (n + 0.5) / of;
}

/** The id that what is wrong with a node is described under. */
export function describedBy(node: string): string {
  return `problems-${node}`;
}

const looks: Record<Line['look'], string> = {
  plain: 'text-ink',
  soft: 'text-soft',
  code: 'font-mono text-[0.6875rem] text-soft',
};

/** A node. Edges begin at its lower side; anywhere on it they may end. */
export const Card = memo(function Card({ id, data: { type, face, problems }, selected }: NodeProps<CardNode>) {
  const Icon = icons[type];
  const frame = selected ? 'border-accent outline-accent' : problems.length > 0 ? 'border-bad outline-transparent' : 'border-line-strong outline-transparent';
  return (
    <>
      <Handle type="target" position={Position.Top} isConnectableStart={false} />
      <div className={`board-card relative size-full overflow-hidden rounded-lg border bg-raised px-3 outline-1 ${frame}`}>
        <div className="flex h-10 items-center gap-2">
          <Icon aria-hidden className={`size-4 shrink-0 ${type === 'agent' ? 'text-accent' : 'text-soft'}`} />
          <span className={`board-name min-w-0 flex-1 truncate text-sm font-medium ${id ? '' : 'text-faint italic'}`}>{id || text.unnamed}</span>
          {problems.length > 0 && (
            <span title={problems.join('\n')} className="flex shrink-0 items-center gap-1 rounded bg-bad-tint px-1.5 text-xs text-bad">
              <TriangleAlert aria-hidden className="size-3" /> {problems.length}
            </span>
          )}
          <span className="board-detail shrink-0 text-xs text-faint">{text.types[type]}</span>
        </div>
        <div className="board-detail text-xs leading-[19px]">
          {face.lines.map((line, n) => (
            // oxlint-disable-next-line react/no-array-index-key -- a line is nothing but its place and its text
            <p key={n} title={line.text} className={`${line.rows === 2 ? 'line-clamp-2 h-[38px]' : 'truncate'} ${looks[line.look]}`}>
              {line.text}
            </p>
          ))}
        </div>
        {face.outs.length > 1 && (
          <div className="board-detail absolute inset-x-0 bottom-1 flex text-xs text-soft">
            {face.outs.map(({ handle, label }) => (
              <span key={handle} title={label} className="min-w-0 flex-1 truncate px-1.5 text-center">
                {label}
              </span>
            ))}
          </div>
        )}
        <p id={describedBy(id)} className="sr-only">
          {problems.join(' ')}
        </p>
      </div>
      {face.outs.map(({ handle }, n) => (
        <Handle key={handle ?? ''} type="source" id={handle} position={Position.Bottom} isConnectableEnd={false} style={{ left: `${100 * placeOfOut(n, face.outs.length)}%` }} />
      ))}
    </>
  );
});
