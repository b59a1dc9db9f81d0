import './board.css';
import { Background, MiniMap, Panel, ReactFlow, ReactFlowProvider, useStore as useFlow } from '@xyflow/react';
import { Maximize, ZoomIn, ZoomOut } from 'lucide-react';
import { useRef, useState, type DragEvent, type KeyboardEvent } from 'react';
import { useParley } from '../../parley.ts';
import { Link } from '../../parts/markdown/link.tsx';
import { IconButton } from '../../ui/button.tsx';
import { useStore } from '../../ui/store.ts';
import type { Editor } from '../editor.ts';
import { Assist } from './assist.tsx';
import { Card } from './card.tsx';
import { useClipboard } from './clipboard.ts';
import { addNode, removeSelected, run } from './commands.ts';
import { Connect } from './connect.tsx';
import { useDrawing } from './drawing.ts';
import { EdgeLine } from './edge.tsx';
import { useFigure } from './figure.ts';
import { Find } from './find.tsx';
import { commandOf } from './keys.ts';
import { dropped, isDragged, Palette } from './palette.tsx';
import { useSelection } from './selection.ts';
import { smallest, useSight } from './sight.ts';
import { useSteady } from './steady.ts';
import { boardText as text } from './text.ts';

const nodeTypes = { card: Card };
const edgeTypes = { link: EdgeLine };
const severalKeys = ['Shift', 'Control', 'Meta'];

interface BoardProps {
  editor: Editor;
  onOpen: () => void; // the node that is selected
}

/** A workflow as cards and edges. */
export function Board(props: BoardProps) {
  return (
    <ReactFlowProvider>
      <Content {...props} />
    </ReactFlowProvider>
  );
}

function Content({ editor, onOpen }: BoardProps) {
  const { toasts } = useParley();
  const graph = useStore(editor, state => state.graph);
  const frame = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [connecting, startConnecting] = useState<string>(); // the node that an edge is drawn from by keyboard
  const [said, say] = useState('');
  const selection = useSelection(editor, frame);
  const figure = useFigure(editor, selection);
  const { boxes, links, current, cards, edges, isWhole } = figure;
  const sight = useSight(frame, figure, selection);
  const isFar = useFlow(state => state.transform[2] < 0.45);
  const refuse = (why: string) => toasts.show(why);
  const { isDrawing, drawing } = useDrawing(editor, links, refuse);
  useClipboard(frame, editor, {
    onSaid: what => {
      say(what);
      selection.focus(current);
    },
    onPasted: ids => {
      say(text.said.pasted(ids.length));
      selection.show(ids, true);
    },
    onRefused: refuse,
  });

  const places = {
    panel: onOpen,
    connect: () => startConnecting(current),
    palette: () => frame.current?.querySelector<HTMLElement>('[data-palette] button')?.focus(),
    find: () => field.current?.select(),
  };
  const reach = { editor, figure, selection, sight, onSaid: say, goTo: (place: keyof typeof places) => places[place]() };
  const pressed = (event: KeyboardEvent) => {
    if (!(event.target instanceof Element) || event.target.closest('input, select, [role="dialog"]')) return;
    const command = commandOf(event);
    // In a toolbar, Enter and the arrows are the buttons'.
    const isOnTool = event.target.closest('button, a') !== null;
    if (!command || (isOnTool && !event.ctrlKey && !event.metaKey && command.do !== 'clear')) return;
    event.preventDefault();
    if (isOnTool && command.do === 'clear') selection.focus(current);
    else run(command, reach);
  };
  // Otherwise all cards would be drawn anew whenever the board is.
  const heard = useSteady({
    ...drawing,
    onNodesChange: selection.onNodesChange,
    onEdgesChange: selection.onEdgesChange,
    onNodeClick: selection.onNodeClick,
    onNodeDoubleClick: () => onOpen(),
  });
  const onDrop = (event: DragEvent) => {
    const type = dropped(event);
    if (!type) return;
    event.preventDefault();
    addNode(type, event.target instanceof Element ? event.target.closest<HTMLElement>('.react-flow__node')?.dataset.id : undefined, reach);
  };

  return (
    // Keys go to whichever card has the focus, and to the board if none has.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      ref={frame}
      tabIndex={-1}
      aria-label={text.title}
      data-connecting={isDrawing || undefined}
      data-far={isFar || undefined}
      className="board @container relative size-full overflow-hidden outline-none"
      onKeyDown={pressed}
      onFocus={selection.onFocus}
      onDragOver={event => isDragged(event) && event.preventDefault()}
      onDrop={onDrop}
    >
      <ReactFlow
        nodes={cards}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        {...heard}
        minZoom={smallest}
        maxZoom={1.5}
        panOnScroll
        zoomOnDoubleClick={false}
        nodesDraggable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        connectOnClick={false}
        elevateNodesOnSelect={false}
        deleteKeyCode={null}
        multiSelectionKeyCode={severalKeys}
        disableKeyboardA11y
        defaultMarkerColor={null}
        proOptions={{ hideAttribution: true }}
        aria-label={text.described}
      >
        <Background gap={24} />
        {boxes.length === 0 && <p className="absolute inset-0 m-auto h-fit w-fit p-6 text-center text-soft">{text.empty}</p>}
        <Panel position="top-left">
          <Palette onAdd={type => addNode(type, selection.nodes.at(-1), reach)} />
        </Panel>
        <Panel position="top-right">
          <Find graph={graph} field={field} onShow={id => selection.show([id], false)} onLeave={() => selection.focus(current)} />
        </Panel>
        <Panel position="bottom-left">
          <div className="board-tools flex flex-col p-1">
            <IconButton icon={ZoomIn} label={text.view.in} onClick={sight.closer} />
            <IconButton icon={ZoomOut} label={text.view.out} onClick={sight.farther} />
            <IconButton icon={Maximize} label={text.view.fit} onClick={sight.all} />
          </div>
        </Panel>
        {(connecting !== undefined || selection.nodes.length > 0 || selection.edges.size > 0) && (
          <Panel position="bottom-center">
            {connecting !== undefined ? (
              <Connect
                editor={editor}
                graph={graph}
                from={connecting}
                onClose={() => {
                  startConnecting(undefined);
                  selection.focus(connecting);
                }}
              />
            ) : (
              <Assist
                editor={editor}
                selected={selection.nodes}
                onAdded={id => selection.show([id], true)}
                onRefused={refuse}
                onConnect={() => startConnecting(selection.nodes[0])}
                onDelete={() => removeSelected(reach)}
              />
            )}
          </Panel>
        )}
        {/* From afar the board is a map itself, and most of what is drawn anew with each step would be this one. */}
        {isWhole && !isFar && <MiniMap pannable zoomable ariaLabel={text.view.map} className="@max-xl:hidden" />}
        {/* In place of the library's own, whose link would not ask. */}
        <Panel position="bottom-right" className="react-flow__attribution">
          <Link href="https://reactflow.dev">React Flow</Link>
        </Panel>
      </ReactFlow>
      <p role="status" className="sr-only">
        {said}
      </p>
    </section>
  );
}
