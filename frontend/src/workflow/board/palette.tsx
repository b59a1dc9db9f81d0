import type { WorkflowNodeType } from '../../api/types.gen.ts';
import { icons } from './card.tsx';
import { boardText as text } from './text.ts';

/** What a node of a type is dragged as. */
const kind = 'application/x-parley-node';

/** The type of the node that is dragged over the board, once it is dropped there. */
export function dropped({ dataTransfer }: { dataTransfer: DataTransfer }): WorkflowNodeType | undefined {
  const type = dataTransfer.getData(kind);
  return Object.hasOwn(text.types, type) ? (type as WorkflowNodeType) : undefined;
}

/** Whether it is a node that is dragged. What it is may only be seen when it is dropped. */
export function isDragged({ dataTransfer }: { dataTransfer: DataTransfer }): boolean {
  return dataTransfer.types.includes(kind);
}

/** The types of nodes, to be added by a click, or by dragging one onto the node that it shall follow. */
export function Palette({ onAdd }: { onAdd: (type: WorkflowNodeType) => void }) {
  return (
    <div role="toolbar" aria-label={text.palette.title} aria-orientation="vertical" data-palette className="board-tools flex flex-col p-1">
      {(Object.keys(text.types) as WorkflowNodeType[]).map(type => {
        const Icon = icons[type];
        return (
          <button
            key={type}
            type="button"
            draggable
            aria-label={text.palette.add(type)}
            title={text.palette.add(type)}
            onClick={() => onAdd(type)}
            onDragStart={event => {
              event.dataTransfer.setData(kind, type);
              event.dataTransfer.effectAllowed = 'copy';
            }}
            className="flex h-8 items-center gap-2 rounded-md px-2 text-xs text-soft hover:bg-hover hover:text-ink"
          >
            <Icon aria-hidden className="size-4" />
            <span className="@max-2xl:hidden">{text.types[type]}</span>
          </button>
        );
      })}
    </div>
  );
}
