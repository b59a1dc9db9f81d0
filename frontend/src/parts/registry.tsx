import type { ComponentType } from 'react';
import type { Part } from '../chat/message.ts';
import type { OpenSession } from '../chat/session.ts';
import { ErrorPart } from './error.tsx';
import { FilePart } from './file.tsx';
import { HarnessPart } from './harness.tsx';
import { PlanPart } from './plan.tsx';
import { RawPart } from './raw.tsx';
import { ReasoningPart } from './reasoning.tsx';
import { ServerPart } from './server.tsx';
import { SteeredPart } from './steered.tsx';
import { TextPart } from './text.tsx';

export interface PartProps<P extends Part = Part> {
  id: string;
  part: P;
  /** Whether more of it may come. */
  live: boolean;
  session: OpenSession;
}

type Renderer<P extends Part = Part> = ComponentType<PartProps<P>>;

const renderers: { [type in Part['type']]?: Renderer<Extract<Part, { type: type }>> } = {
  text: TextPart,
  reasoning: ReasoningPart,
  file: FilePart,
  'data-agent-error': ErrorPart,
  'data-harness': HarnessPart,
  'data-mcp': ServerPart,
  'data-plan': PlanPart,
  'data-steered': SteeredPart,
};

/** Who shows a part of this type. What nobody knows is shown as it came. */
export function rendererOf(type: Part['type']): Renderer {
  return ((Object.hasOwn(renderers, type) && renderers[type]) || RawPart) as Renderer;
}
