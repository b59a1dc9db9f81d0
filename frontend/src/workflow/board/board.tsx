import './board.css';
import { Background, MiniMap, Panel, ReactFlow, ReactFlowProvider, useStore as useFlow, type EdgeChange, type NodeChange } from '@xyflow/react';
import { Maximize, ZoomIn, ZoomOut } from 'lucide-react';
import { useEffect, useRef, useState, type DragEvent, type FocusEvent, type KeyboardEvent, type MouseEvent } from 'react';
import type { WorkflowNodeType } from '../../api/types.gen.ts';
import { useParley } from '../../parley.ts';
import { Link } from '../../parts/markdown/link.tsx';
import { IconButton } from '../../ui/button.tsx';
import { useStore } from '../../ui/store.ts';
import type { Editor } from '../editor.ts';
import { disconnect } from '../graph/connect.ts';
import { add, remove } from '../graph/nodes.ts';
import { Assist } from './assist.tsx';
import { Card } from './card.tsx';
import { useClipboard } from './clipboard.ts';
import { Connect } from './connect.tsx';
import { useDrawing } from './drawing.ts';
import { useFigure } from './figure.ts';
import { Find } from './find.tsx';
import { commandOf, type Command } from './keys.ts';
import { next } from './next.ts';
import { dropped, isDragged, Palette } from './palette.tsx';
import { smallest, useSight } from './sight.ts';
import { boardText as text } from './text.ts';
import { EdgeLine } from './edge.tsx';

const nodeTypes = { card: Card };
const edgeTypes = { link: EdgeLine };
const severalKeys = ['Shift', 'Control', 'Meta'];
const nothing: ReadonlySet<string> = new Set();

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
  const selected = useStore(editor, state => state.selected);
  const frame = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [focused, setFocused] = useState<string>();
  const [picked, pick] = useState(nothing); // edges
  const [connecting, startConnecting] = useState<string>(); // the node that an edge is drawn from by keyboard
  const [said, say] = useState('');
  const figure = useFigure(editor, focused, picked);
  const { boxes, links, layout, current, cards, edges, isWhole } = figure;
  const sight = useSight(frame, figure);
  const isFar = useFlow(state => state.transform[2] < 0.45);
  const refuse = (why: string) => toasts.show(why);
  const { isDrawing, drawing } = useDrawing(editor, links, refuse);

  // What somebody else selects, as the list of problems does, is shown; what is selected here is seen already.
  const own = useRef(selected);
  const choose = (ids: readonly string[]) => {
    own.current = ids;
    editor.select(ids);
  };
  useEffect(() => {
    if (!isSame(own.current, selected) && selected[0] !== undefined) sight.show(selected[0]);
    own.current = selected;
  });

  const focus = (id: string | undefined) => {
    setFocused(id);
    // A card that was only just added is drawn before the next frame.
    requestAnimationFrame(() => {
      const cardOf = (which: string) => frame.current?.querySelector<HTMLElement>(`.react-flow__node${which}`);
      const card = (id !== undefined && cardOf(`[data-id="${CSS.escape(id)}"]`)) || cardOf('[tabindex="0"]') || frame.current;
      card?.focus({ preventScroll: true });
    });
  };
  /** Selects a node that is shown, and has the focus from now on. */
  const go = (id: string) => {
    focus(id);
    editor.select([id]);
  };
  const find = (id: string) => {
    setFocused(id);
    editor.select([id]);
  };
  const addNode = (type: WorkflowNodeType, after = selected.at(-1)) => {
    const added = add(editor.value.graph, type, after);
    editor.change(text.change.add(type), () => added.graph);
    go(added.id);
  };
  const removeAll = () => {
    const gone = links.filter(({ id }) => picked.has(id));
    if (selected.length === 0 && gone.length === 0) return;
    const stays = links.find(({ from, to }) => selected.includes(to) && !selected.includes(from))?.from;
    const what = selected.length > 0 ? text.change.delete(selected.length) : text.change.deleteEdges(gone.length);
    editor.change(what, now => remove(disconnect(now, gone), selected));
    if (selected.length > 0) say(text.said.deleted(selected.length));
    pick(nothing);
    choose([]);
    focus(stays);
  };
  useClipboard(frame, editor, {
    onSaid: what => {
      say(what);
      choose(editor.value.selected.filter(id => editor.value.graph.nodes.some(node => node.id === id)));
      focus(current);
    },
    onPasted: ids => {
      say(text.said.pasted(ids.length));
      focus(ids[0]);
      editor.select(ids);
    },
    onRefused: refuse,
  });

  const run = (command: Command) => {
    switch (command.do) {
      case 'move': {
        const to = current !== undefined && focused !== undefined ? next(boxes, links, layout, current, command.direction) : current;
        if (to === undefined) return;
        sight.show(to);
        focus(to);
        return choose(command.extend ? [...new Set([...selected, to])] : [to]);
      }
      case 'first':
      case 'last': {
        const to = cards.at(command.do === 'first' ? 0 : -1)?.id;
        return to === undefined ? undefined : go(to);
      }
      case 'open':
        if (current !== undefined && selected.length === 0) choose([current]);
        return onOpen();
      case 'delete':
        return removeAll();
      case 'clear':
        pick(nothing);
        return choose([]);
      case 'connect':
        return startConnecting(current);
      case 'add':
        return frame.current?.querySelector<HTMLElement>('[data-palette] button')?.focus();
      case 'all':
        say(text.said.selected(boxes.length));
        return choose(boxes.map(({ id }) => id));
      case 'find':
        return field.current?.select();
      case 'undo':
        editor.undo();
        return focus(editor.value.selected[0]);
      case 'redo':
        editor.redo();
        return focus(editor.value.selected[0]);
      case 'in':
        return sight.closer();
      case 'out':
        return sight.farther();
      case 'fit':
        return sight.all();
    }
  };
  const pressed = (event: KeyboardEvent) => {
    if (!(event.target instanceof Element) || event.target.closest('input, select, [role="dialog"]')) return;
    const command = commandOf(event);
    // In a toolbar, Enter and the arrows are the buttons'.
    const isOnTool = event.target.closest('button, a') !== null;
    if (!command || (isOnTool && !event.ctrlKey && !event.metaKey && command.do !== 'clear')) return;
    event.preventDefault();
    if (isOnTool && command.do === 'clear') focus(current);
    else run(command);
  };
  const onNodesChange = (changes: NodeChange[]) => {
    const ids = new Set(editor.value.selected);
    for (const change of changes) if (change.type === 'select') ids[change.selected ? 'add' : 'delete'](change.id);
    if (!isSame([...ids], editor.value.selected)) choose([...ids]);
  };
  const onNodeClick = ({ shiftKey, ctrlKey, metaKey }: MouseEvent, { id }: { id: string }) => {
    if (!shiftKey && !ctrlKey && !metaKey) choose([id]);
    focus(id);
  };
  const onEdgesChange = (changes: EdgeChange[]) => {
    const ids = new Set(picked);
    for (const change of changes) if (change.type === 'select') ids[change.selected ? 'add' : 'delete'](change.id);
    pick(ids);
  };
  const onDrop = (event: DragEvent) => {
    const type = dropped(event);
    if (!type) return;
    event.preventDefault();
    const onto = event.target instanceof Element ? event.target.closest<HTMLElement>('.react-flow__node')?.dataset.id : undefined;
    addNode(type, onto);
  };
  const onFocus = ({ target }: FocusEvent) => {
    const id = target instanceof HTMLElement && target.matches('.react-flow__node') ? target.dataset.id : undefined;
    if (id !== undefined) setFocused(id);
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
      onFocus={onFocus}
      onDragOver={event => isDragged(event) && event.preventDefault()}
      onDrop={onDrop}
    >
      <ReactFlow
        nodes={cards}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onNodesChange={onNodesChange}
        onEdgesChange={onEdgesChange}
        onNodeClick={onNodeClick}
        onNodeDoubleClick={onOpen}
        {...drawing}
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
          <Palette onAdd={type => addNode(type)} />
        </Panel>
        <Panel position="top-right">
          <Find graph={graph} field={field} onShow={find} onLeave={() => focus(current)} />
        </Panel>
        <Panel position="bottom-left">
          <div className="board-tools flex flex-col p-1">
            <IconButton icon={ZoomIn} label={text.view.in} onClick={sight.closer} />
            <IconButton icon={ZoomOut} label={text.view.out} onClick={sight.farther} />
            <IconButton icon={Maximize} label={text.view.fit} onClick={sight.all} />
          </div>
        </Panel>
        {(connecting !== undefined || selected.length > 0) && (
          <Panel position="bottom-center">
            {connecting !== undefined ? (
              <Connect
                editor={editor}
                graph={graph}
                from={connecting}
                onRefused={refuse}
                onClose={() => {
                  startConnecting(undefined);
                  focus(connecting);
                }}
              />
            ) : (
              <Assist editor={editor} selected={selected} onAdded={go} onRefused={refuse} onConnect={() => startConnecting(selected[0])} onDelete={removeAll} />
            )}
          </Panel>
        )}
        {isWhole && <MiniMap pannable zoomable ariaLabel={text.view.map} className="@max-2xl:hidden" />}
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

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, n) => id === b[n]);
}
