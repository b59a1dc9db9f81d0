import { lazy, Suspense, useEffect, useImperativeHandle, useMemo, useRef, useState, type Ref } from 'react';
import type { FileProblem } from '../../api/types.gen.ts';
import { useStore } from '../../ui/store.ts';
import type { Editor } from '../editor.ts';
import { placeOf } from '../problems.ts';
import { agentsFields } from './agent_fields.ts';
import { focusOn } from './focus.ts';
import { Form } from './form.tsx';
import { NodeTab } from './node.tsx';
import { ProblemsTab } from './problems.tsx';
import { Tabs } from './tabs.tsx';
import { takeBack } from './take_back.ts';
import { panelText } from './text.ts';
import { FormsContext, type Forms } from './use_field.ts';
import { inputsFields, workflowFields } from './workflow_fields.ts';

const Source = lazy(() => import('../source/source.tsx'));

export type PanelTab = keyof typeof panelText.tabs;

export interface PanelHandle {
  /** Shows a tab, and moves the focus into it. */
  show: (tab: PanelTab) => void;
}

const tabs = Object.keys(panelText.tabs) as PanelTab[];

/** Beside the canvas: all of the workflow as forms, and what is wrong with it. */
export function Panel({ editor, ref }: { editor: Editor; ref?: Ref<PanelHandle> }) {
  const root = useRef<HTMLDivElement>(null);
  const [tab, choose] = useState<PanelTab>(() => (editor.value.typed === undefined ? 'node' : 'yaml')); // what cannot be read has no nodes to show
  const problems = useStore(editor, state => state.problems);
  const forms = useMemo((): Forms => ({ editor, typed: new Map(), reveal: key => requestAnimationFrame(() => root.current && focusOn(root.current, key)) }), [editor]);
  const show = (to: PanelTab) => {
    choose(to);
    forms.reveal('tab-panel');
  };
  useEffect(() => {
    const panel = root.current!;
    const press = (event: KeyboardEvent) => takeBack(event, editor);
    panel.addEventListener('keydown', press);
    return () => panel.removeEventListener('keydown', press);
  }, [editor]);
  useImperativeHandle(ref, () => ({ show }));
  const [line, goTo] = useState<FileProblem>();
  const open = (to: PanelTab) => {
    choose(to);
    goTo(undefined);
  };
  const lead = (problem: FileProblem) => {
    const { graph, typed } = editor.value;
    if (!problem.key || typed !== undefined) {
      goTo({ ...problem }); // each time anew
      return choose('yaml');
    }
    const place = placeOf(graph, problem.key);
    if (place.node !== undefined) editor.select([place.node]);
    choose(place.tab);
    forms.reveal(problem.key);
  };
  return (
    <FormsContext value={forms}>
      <div ref={root} className="flex h-full min-h-0 min-w-0 flex-col bg-panel">
        <Tabs label={panelText.title} tabs={tabs.map(each => [each, panelText.tabs[each], each === 'problems' ? problems.length : 0])} chosen={tab} onChoose={open}>
          {tab === 'yaml' ? (
            <Suspense>
              <Source editor={editor} at={line} />
            </Suspense>
          ) : (
            <div className="p-4">
              {tab === 'node' && <NodeTab />}
              {tab === 'agents' && <Form path={[]} fields={agentsFields} />}
              {tab === 'inputs' && <Form path={[]} fields={inputsFields} />}
              {tab === 'workflow' && <WorkflowTab editor={editor} />}
              {tab === 'problems' && <ProblemsTab onChoose={lead} />}
            </div>
          )}
        </Tabs>
      </div>
    </FormsContext>
  );
}

function WorkflowTab({ editor }: { editor: Editor }) {
  const metadata = useStore(editor, state => state.metadata);
  return (
    <div className="grid gap-4">
      <Form path={[]} fields={workflowFields} />
      {metadata && <p className="border-t border-line pt-4 text-xs text-faint">{panelText.workflow.metadata(metadata.length)}</p>}
    </div>
  );
}
