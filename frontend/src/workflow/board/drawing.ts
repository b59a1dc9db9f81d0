import type { Connection, Edge, FinalConnectionState, ReactFlowProps } from '@xyflow/react';
import { useState } from 'react';
import type { Editor } from '../editor.ts';
import { connect, disconnect, refusal } from '../graph/connect.ts';
import type { Link } from '../graph/links.ts';
import type { CardNode } from './card.tsx';
import type { LinkEdge } from './flow.ts';
import { boardText as text } from './text.ts';

type Props = Pick<
  ReactFlowProps<CardNode, LinkEdge>,
  'isValidConnection' | 'onConnect' | 'onConnectStart' | 'onConnectEnd' | 'onReconnect' | 'onReconnectStart' | 'onReconnectEnd'
>;

/** Drawing edges with the pointer: new ones, and old ones to another end. What cannot be connected is refused with the reason. */
export function useDrawing(editor: Editor, links: readonly Link[], onRefused: (why: string) => void): { isDrawing: boolean; drawing: Props } {
  const [isDrawing, draw] = useState(false);
  const [moved, move] = useState<Link>(); // whose end is dragged
  const without = () => (moved ? disconnect(editor.value.graph, [moved]) : editor.value.graph);
  const refused = ({ source, sourceHandle, target }: Connection | Edge) => refusal(without(), source, sourceHandle ?? undefined, target);
  const linkOf = (edge: LinkEdge) => links.find(({ id }) => id === edge.id);
  const drawing: Props = {
    isValidConnection: connection => refused(connection) === undefined,
    onConnect: ({ source, sourceHandle, target }) => editor.change(text.change.connect, graph => connect(graph, source, sourceHandle ?? undefined, target)),
    onConnectStart: () => draw(true),
    onConnectEnd: (_, { fromHandle, toNode, isValid }: FinalConnectionState) => {
      draw(false);
      if (isValid || !fromHandle || !toNode) return;
      const why = refused({ source: fromHandle.nodeId, sourceHandle: fromHandle.id ?? null, target: toNode.id, targetHandle: null });
      if (why) onRefused(why);
    },
    onReconnectStart: (_, edge) => move(linkOf(edge)),
    onReconnect: (edge, { source, sourceHandle, target }) => {
      const link = linkOf(edge);
      if (link && link.to !== target) editor.change(text.change.reconnect, graph => connect(disconnect(graph, [link]), source, sourceHandle ?? undefined, target));
    },
    onReconnectEnd: () => move(undefined),
  };
  return { isDrawing, drawing };
}
